// Sends one SMS to one or more numbers, and prints the id of each message.
//
//	go run ./send 919800000100,919800000101 "Your order has shipped."
package main

import (
	"example/signalbox"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… go run ./send <number>[,<number>…] <text>")
	}
	sms := map[string]string{"sender": "SIGNALBX", "to": os.Args[1], "text": os.Args[2], "type": "TRANS"}
	var sent struct {
		Data []struct{ Recipient, MessageID string }
	}
	if err := signalbox.Call("POST", "/v1/sms", sms, &sent, signalbox.NewKey()); err != nil {
		log.Fatal(err)
	}
	for _, message := range sent.Data {
		fmt.Println(message.Recipient, message.MessageID)
	}
}
