// SPDX-License-Identifier: Apache-2.0
// The resources of the cases on Go's net/http: echo PORT FOLDER
package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
)

func reads(method string) bool { return method == "GET" || method == "HEAD" }

func answer(response http.ResponseWriter, request *http.Request) {
	body, problem := io.ReadAll(request.Body)
	switch {
	case problem != nil:
		response.Header().Set("Connection", "close")
		http.Error(response, problem.Error(), http.StatusBadRequest)
	case request.URL.Path == "/echo" && (reads(request.Method) || request.Method == "POST" || request.Method == "PUT"):
		response.Write(body)
	case request.URL.Path == "/" && reads(request.Method):
		io.WriteString(response, "hello")
	case request.URL.Path == "/file.txt" && reads(request.Method):
		http.ServeFile(response, request, filepath.Join(os.Args[2], "file.txt"))
	case request.URL.Path == "/" || request.URL.Path == "/file.txt":
		http.Error(response, "", http.StatusMethodNotAllowed)
	default:
		http.NotFound(response, request)
	}
}

func main() {
	http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(answer))
}
