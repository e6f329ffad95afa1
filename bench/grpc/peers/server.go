// SPDX-License-Identifier: Apache-2.0
// The method of echo.proto, by Go's gRPC: "server ADDRESS". Line is as StringValue on the wire, so
// that no code has to be generated.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"github.com/golang/protobuf/ptypes/wrappers"
)

func say(_ interface{}, ctx context.Context, decode func(interface{}) error, _ grpc.UnaryServerInterceptor) (interface{}, error) {
	request := new(wrappers.StringValue)
	if err := decode(request); err != nil {
		return nil, err
	}
	return &wrappers.StringValue{Value: request.Value}, nil
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "weft.grpc_bench.Echo",
		HandlerType: (*interface{})(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Say", Handler: say}},
	}, struct{}{})
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
