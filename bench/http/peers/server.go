// SPDX-License-Identifier: Apache-2.0
// The handlers of `weft serve --test-handlers` on Go's net/http: server PORT FOLDER.
package main

import (
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID

func threadTime() int64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// By CPU time, as ours does it. The goroutine stays on its thread, whose time is looked at.
func compute(length time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := threadTime() + int64(length)
	for threadTime() < end {
		for i := 0; i < 256; i++ {
		}
	}
}

func say(response http.ResponseWriter, text string) {
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.Write([]byte(text))
}

// The handler of PREFIX/NUMBER.
func timed(prefix string, unit time.Duration, spend func(time.Duration), text string) {
	http.HandleFunc(prefix, func(response http.ResponseWriter, request *http.Request) {
		number, err := strconv.Atoi(strings.TrimPrefix(request.URL.Path, prefix))
		if err != nil || number < 0 {
			http.Error(response, "the time is no number", http.StatusBadRequest)
			return
		}
		spend(time.Duration(number) * unit)
		say(response, text)
	})
}

func main() {
	http.HandleFunc("/_/hello", func(response http.ResponseWriter, _ *http.Request) {
		say(response, "hello\n")
	})
	timed("/_/sleep/", time.Millisecond, time.Sleep, "slept\n")
	timed("/_/cpu/", time.Microsecond, compute, "computed\n")
	http.Handle("/", http.FileServer(http.Dir(os.Args[2])))
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
