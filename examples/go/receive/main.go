// Receives delivery reports and chat-app events, checks their signature over the raw body, and prints each once.
//
//	WEBHOOK_SECRET=whsec_… go run ./receive [port]
package main

import (
	"encoding/json"
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
	fmt.Println("Listening on http://" + address)
	log.Fatal(http.Serve(listener, nil))
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 64*1024))
	if err != nil || !signalbox.IsSigned(secret, request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	report := map[string]any{}
	if _, isRepeat := seen.LoadOrStore(request.Header.Get("webhook-id"), true); !isRepeat && json.Unmarshal(body, &report) == nil {
		if data, isEvent := report["data"].(map[string]any); isEvent {
			fmt.Println(report["type"], data["messageId"], data["from"], ">", data["to"], data["status"])
		} else {
			fmt.Println(report["messageId"], report["mobileNumber"], report["status"], report["errCode"], report["statusDescription"])
		}
	}
	response.WriteHeader(http.StatusNoContent) // a 2xx ends the push; anything else causes a retry
}
