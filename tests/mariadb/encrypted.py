# SPDX-License-Identifier: Apache-2.0
# Connections by TLS, with a certificate of our own.
import shutil

import hangs
import oltp


# Makes an authority and a certificate for the server and the client; returns their folder.
def make_certificates(folder):
    target = folder / "tls"
    target.mkdir()
    hangs.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
               "-subj", "/CN=weft test authority", "-keyout", str(target / "cacert-key.pem"),
               "-out", str(target / "cacert.pem")], 120)
    # The names are those that sysbench looks for in the folder it runs in.
    for owner in ("server", "client"):
        key, request = target / f"{owner}-key.pem", target / f"{owner}.csr"
        hangs.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                   "-keyout", str(key), "-out", str(request)], 120)
        hangs.run(["openssl", "x509", "-req", "-in", str(request), "-days", "2", "-set_serial",
                   "1" if owner == "server" else "2", "-CA", str(target / "cacert.pem"),
                   "-CAkey", str(target / "cacert-key.pem"),
                   "-out", str(target / f"{owner}-cert.pem")], 120)
        key.chmod(0o644)  # the server reads it as another user
    target.chmod(0o755)
    return target


def settings(certificates):
    return [f"--ssl-ca={certificates / 'cacert.pem'}",
            f"--ssl-cert={certificates / 'server-cert.pem'}",
            f"--ssl-key={certificates / 'server-key.pem'}"]


def obstacle():
    return None if shutil.which("openssl") else "openssl is not installed"


# A connection that is really encrypted, and an answer of more than one record.
def connect_once(server, certificates):
    words = ["--ssl", f"--ssl-ca={certificates / 'cacert.pem'}"]
    rows = server.query("SHOW STATUS LIKE 'Ssl_cipher'; SELECT LENGTH(REPEAT('weft', 50000));"
                        "SELECT REPEAT('weft', 50000)", words=words, transport="tcp")
    if not rows[0][1]:
        raise hangs.Failure("the connection is not encrypted")
    if rows[1] != ["200000"] or rows[2] != ["weft" * 50000]:
        raise hangs.Failure("a long answer over TLS is not what was asked for")


def load(server, certificates, connections, seconds):
    return oltp.load(server, "oltp_read_write", "tcp", connections, seconds,
                     words=["--mysql-ssl=on"], folder=certificates)
