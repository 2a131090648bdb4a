// Prints each delivery report and chat-app event once, after a check of the signature over the raw body.
//
//	WEBHOOK_SECRET=whsec_… go run ./receive [port]
package main

import (
	"example/signalbox"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

var secret = os.Getenv("WEBHOOK_SECRET")
var seen sync.Map // in production: a unique column, written in the transaction that handles the report

func main() {
	if !strings.HasPrefix(secret, "whsec_") {
		log.Fatal("Usage: WEBHOOK_SECRET=whsec_… go run ./receive [port]")
	}
	address := "127.0.0.1:" + append(os.Args[1:], "8080")[0]
	http.HandleFunc("/", receive)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening on http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, nil))
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1024*1024))
	if err != nil || !signalbox.IsSigned(secret, request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	for _, report := range signalbox.ReadReports(request.Header.Get("webhook-id"), body) {
		if _, isRepeat := seen.LoadOrStore(report.ID, true); !isRepeat {
			fmt.Print(lineOf(report.Body))
		}
	}
	response.WriteHeader(http.StatusNoContent) // a 2xx ends the push; anything else causes a retry
}

func lineOf(report map[string]any) string {
	if data, isEvent := report["data"].(map[string]any); isEvent {
		return fmt.Sprintln(report["type"], data["messageId"], data["from"], ">", data["to"], data["status"])
	}
	return fmt.Sprintln(report["messageId"], report["mobileNumber"], report["status"], report["errCode"], report["statusDescription"])
}
