// Creates a chat-app template, waits for its review, sends it, and prints the status of the message.
// The chat account 100001 and its number 15550100001 are those of the demo account.
//
//	go run ./chat-template 919800000100 Asha
package main

import (
	"encoding/json"
	"example/signalbox"
	"fmt"
	"log"
	"os"
	"time"
)

const template = `{ "name": "example_shipped", "category": "UTILITY", "language": "en", "chatAccountId": "100001",
  "components": [{ "type": "BODY", "text": "Hi {{1}}, your order is on its way.", "example": { "body_text": [["Asha"]] } }] }`

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… go run ./chat-template <number> <name>")
	}
	var found struct{ Data []struct{ ID string } }
	call("GET", "/v1/chatapp/chatTemplateList?name=example_shipped&chatAccountId=100001", nil, &found)
	if len(found.Data) == 0 {
		found.Data = append(found.Data, struct{ ID string }{})
		call("POST", "/v1/chatapp/createChatTemplate", json.RawMessage(template), &found.Data[0])
	}
	follow("/v1/chatapp/getChatTemplate?id="+found.Data[0].ID, "example_shipped", "Pending", "")
	params := map[string]any{"body": map[string]any{"params": []string{os.Args[2]}}}
	message := map[string]any{"from": "15550100001", "to": os.Args[1], "type": "template",
		"templateName": "example_shipped", "components": params}
	var sent struct{ Data []struct{ MessageID string } }
	call("POST", "/v1/chatapp", message, &sent)
	follow("/v1/messages/"+sent.Data[0].MessageID, sent.Data[0].MessageID, "Pending", "Sent")
}

// follow reads once a second, and prints the status, while it is one of the two.
func follow(path, label, first, second string) {
	for status := first; status == first || status == second; time.Sleep(time.Second) {
		var read struct{ Data struct{ Status string } }
		call("GET", path, nil, &read)
		status = read.Data.Status
		fmt.Println(label, status)
	}
}

func call(method, path string, body, answer any) {
	key := ""
	if method == "POST" {
		key = signalbox.NewKey()
	}
	if err := signalbox.Call(method, path, body, answer, key); err != nil {
		log.Fatal(err)
	}
}
