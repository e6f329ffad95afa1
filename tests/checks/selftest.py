#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks the checks: each passes on a small good tree, and finds the fault that is planted in it.
import os
import unittest

from good_tree import LICENCE, GOOD, CheckTest


class TheTree(CheckTest):
    def test_is_what_git_knows_or_would_add(self):
        self.git("init", "-q")
        self.write({".gitignore": "/ignored.cc\n", "ignored.cc": "no licence\n"})
        self.passes("spdx")
        self.write({"new.cc": "no licence\n"})
        self.finds("spdx", "new.cc:1")

    def test_is_the_plain_folder_but_for_what_was_built(self):
        self.write({"build/made.cc": "", "elsewhere/CMakeCache.txt": "", "elsewhere/made.cc": ""})
        self.passes("spdx")
        self.write({"src/build/kept.cc": "no licence\n"})
        self.finds("spdx", "src/build/kept.cc:1")


class Layering(CheckTest):
    def test_passes(self):
        self.passes("layering")

    def test_finds_an_include_that_goes_up(self):
        self.append("src/os/file.cc", '#include "budget/read.h"\n')
        self.finds("layering", "src/os/file.cc:6", "of budget", "it may include arch, base")

    def test_finds_a_public_header_of_a_higher_module(self):
        self.append("src/os/file.cc", "#include <weft/budget.h>\n")
        self.finds("layering", "src/os/file.cc:6", "<weft/budget.h> of budget")

    def test_finds_an_include_relative_to_its_folder(self):
        self.append("src/base/text.h", '#include "../os/file.cc"\n')
        self.finds("layering", "src/base/text.h:4", 'write "os/file.cc"')

    def test_finds_source_that_includes_a_tool(self):
        self.append("src/budget/read.cc", '#include "tools/weft/own.h"\n')
        self.finds("layering", "src/budget/read.cc:6", "of tools/")

    def test_finds_a_tool_that_includes_a_test(self):
        self.write({"tests/support/x.h": GOOD["src/base/text.h"]})
        self.append("tools/weft/main.cc", '#include "tests/support/x.h"\n')
        self.finds("layering", "tools/weft/main.cc:5", "of tests/")

    def test_finds_a_public_header_that_includes_source(self):
        self.append("include/weft/budget.h", '#include "base/text.h"\n')
        self.finds("layering", "include/weft/budget.h:10", "not installed")

    def test_finds_a_public_header_that_includes_another_library(self):
        self.append("include/weft/budget.h", "#include <fmt/core.h>\n")
        self.finds("layering", "include/weft/budget.h:10", "<fmt/core.h>")

    def test_finds_an_example_that_includes_source(self):
        self.append("examples/hello.cc", '#include "base/text.h"\n')
        self.finds("layering", "examples/hello.cc:4", "an example")

    def test_finds_a_module_that_is_not_in_the_table(self):
        self.write({"src/novel/x.h": GOOD["src/base/text.h"]})
        self.finds("layering", "src/novel/x.h:1", '"novel": [', "MODULES")

    def test_finds_a_public_header_that_is_not_in_the_table(self):
        self.write({"include/weft/novel.h": GOOD["src/base/text.h"]})
        self.finds("layering", "include/weft/novel.h:1", "PUBLIC_HEADERS")

    def test_finds_a_folder_that_is_not_in_the_table(self):
        self.write({"novel/x.cc": GOOD["src/base/text.h"]})
        self.finds("layering", "novel/x.cc:1", "FOLDERS")

    def test_finds_cmake_that_says_otherwise(self):
        self.write({"src/os/CMakeLists.txt": "# Comment\nweft_module(os\n  DEPENDS budget)\n"})
        self.finds("layering", "src/os/CMakeLists.txt:2", "'budget'", "'base arch'")

    def test_finds_cmake_that_links_past_the_table(self):
        self.write({"src/os/CMakeLists.txt": "weft_module(os DEPENDS base arch LINK weft::budget)\n"})
        self.finds("layering", "src/os/CMakeLists.txt:1", "weft::budget")


class Length(CheckTest):
    def test_passes_at_700_lines(self):
        self.write({"src/base/text.h": "//\n" * 700})
        done = self.run_check("length")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("note: src/base/text.h has 700 lines", done.stdout)
        self.assertIn("median 4.5 lines", done.stdout)

    def test_finds_701_lines(self):
        self.write({"src/base/text.h": "//\n" * 701})
        self.finds("length", "src/base/text.h:701", "701 lines")

    def test_finds_a_long_script_without_a_suffix(self):
        self.append("scripts/greet", "#\n" * 700)
        self.finds("length", "scripts/greet:701", "704 lines")


class Spdx(CheckTest):
    def test_passes(self):
        self.passes("spdx")

    def test_finds_a_missing_licence(self):
        self.write({"src/base/text.h": "// Text.\n"})
        self.finds("spdx", "src/base/text.h:1", LICENCE)

    def test_finds_a_missing_licence_behind_the_interpreter(self):
        self.write({"scripts/greet": "#!/bin/sh\n# Greets.\n"})
        self.finds("spdx", "scripts/greet:2", LICENCE)

    def test_finds_a_missing_description(self):
        self.write({"src/base/text.h": f"// {LICENCE}\n\n// Text.\n"})
        self.finds("spdx", "src/base/text.h:2", "what this file is")

    def test_finds_a_description_that_is_no_sentence(self):
        self.write({"src/base/CMakeLists.txt": f"# {LICENCE}\n# stuff\nweft_module(base)\n"})
        self.finds("spdx", "src/base/CMakeLists.txt:2", "sentence")


class Formatting(CheckTest):
    def test_passes(self):
        self.passes("formatting")

    def test_finds_a_badly_formatted_file(self):
        self.append("src/base/text.h", "int  f( );\n")
        self.finds("formatting", "src/base/text.h:4", "clang-format -i src/base/text.h")

    def test_says_what_to_install(self):
        self.finds("formatting", "scripts/deps:1", "scripts/deps test",
                   environment={**os.environ, "PATH": str(self.root)})

    def test_looks_only_at_what_changed_in_a_large_tree(self):
        self.write({f"src/base/many/{number}.h": "int  f( );\n" for number in range(400)})
        for message in ("first", "second"):
            self.git("init", "-q")
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", message)
        self.passes("formatting")
        self.append("src/base/text.h", "int  f( );\n")
        self.finds("formatting", "src/base/text.h:4")


class Links(CheckTest):
    def test_passes(self):
        self.passes("links")

    def test_finds_a_file_that_is_not_there(self):
        self.append("README.md", "[x](docs/gone.md)\n")
        self.finds("links", "README.md:12", "docs/gone.md")

    def test_finds_a_heading_that_is_not_there(self):
        self.append("docs/design.md", "[x](../README.md#three-words)\n")
        self.finds("links", "docs/design.md:5", "three-words", "two-words")

    def test_finds_a_line_that_is_not_there(self):
        self.append("README.md", "[x](src/base/text.h#L2-L4)\n")
        self.finds("links", "README.md:12", "has 3 lines")

    def test_finds_an_absolute_path(self):
        self.append("README.md", "<img src=\"/docs/design.md\">\n")
        self.finds("links", "README.md:12", "absolute")

    def test_finds_a_way_out_of_the_tree(self):
        (self.root.parent / "outside.md").write_text("# There\n")
        self.append("README.md", "[x]: ../outside.md\n")
        self.finds("links", "README.md:12", "out of the tree")


class PublicHeaders(CheckTest):
    def setUp(self):
        super().setUp()
        # One compiler finds it; that both are asked is said in the summary.
        self.environment = {**os.environ, "PATH": str(self.root / "bin")}
        (self.root / "bin").mkdir()
        (self.root / "bin/g++").symlink_to("/usr/bin/g++")

    def test_passes(self):
        self.passes("public_headers")

    def test_finds_a_header_that_needs_another_before_it(self):
        self.append("include/weft/budget.h", "inline std::vector<int> numbers() { return {}; }\n")
        self.finds("public_headers", "include/weft/budget.h:10", "vector",
                   environment=self.environment)

    def test_finds_a_header_that_cannot_be_included_twice(self):
        self.write({"include/weft/budget.h": "struct Twice {};\n"})
        self.finds("public_headers", "include/weft/budget.h:1", "Twice",
                   environment=self.environment)

    def test_finds_a_warning(self):
        self.append("include/weft/budget.h", "inline int less(long x) { return x; }\n")
        self.finds("public_headers", "include/weft/budget.h:10", "conversion",
                   environment=self.environment)


class Words(CheckTest):
    def test_passes(self):
        self.append("README.md", "Look at /proc/self/root/etc, /home and paperwork/life.\n")
        self.passes("words")

    def test_finds_each(self):
        # In two pieces, as in the check itself.
        for text in ("/wo" "rk/main", "'/ro" "ot/.cache'", "/home/" "somebody/src",
                     "https://deb." "debian.org/debian", "registry." "npmjs.org", "Sub" "agent",
                     "the C" "EO", "DEVEL" "OPERS.md", "../" "shared/style", "in this " "session"):
            with self.subTest(text):
                self.append("scripts/greet", f"# {text}\n")
                self.finds("words", "scripts/greet:5")


if __name__ == "__main__":
    unittest.main()
