// Sends a one-time password to a number, asks for it, and checks what was typed.
//
//	go run ./verify 919800000100
package main

import (
	"bufio"
	"errors"
	"example/signalbox"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… go run ./verify <number>")
	}
	var sent struct{ Data string }
	request := map[string]string{"configId": findOrCreateConfig("example"), "to": os.Args[1]}
	call("POST", "/v1/verify", request, &sent, signalbox.NewKey())
	fmt.Printf("A code is on its way to %s. Type it:\n", os.Args[1])
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		code := map[string]string{"verifyId": sent.Data, "otp": strings.TrimSpace(lines.Text())}
		err := signalbox.Call("POST", "/v1/verify/validate", code, &struct{}{}, "")
		var refused *signalbox.Refused
		if err == nil {
			fmt.Println("Correct.")
			return
		}
		if !errors.As(err, &refused) || refused.Code != "otp_incorrect" {
			log.Fatal(err)
		}
		fmt.Printf("Wrong, %d attempts left. Type it again:\n", refused.AttemptsRemaining)
	}
}

// findOrCreateConfig finds the settings of the codes, which are made once.
func findOrCreateConfig(name string) string {
	var configs struct{ Data []struct{ ID, Name string } }
	call("GET", "/v1/verify/configs?limit=200", nil, &configs, "")
	for _, config := range configs.Data {
		if config.Name == name {
			return config.ID
		}
	}
	var created struct{ Data struct{ ID string } }
	call("POST", "/v1/verify/configs", map[string]string{"name": name, "sender": "SIGNALBX"}, &created, "")
	return created.Data.ID
}

func call(method, path string, body, answer any, key string) {
	if err := signalbox.Call(method, path, body, answer, key); err != nil {
		log.Fatal(err)
	}
}
