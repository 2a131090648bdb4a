// Sends one SMS to every number of a file, a number on each line, and prints the progress for up to a minute.
// Run again within 48 hours it sends nothing twice: the idempotency key of a call is the hash of its numbers and text.
//
//	go run ./bulk numbers.txt "The shop opens at nine."
package main

import (
	"crypto/sha256"
	"example/signalbox"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

const numbersPerCall, followedSeconds = 1_000, 60

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… go run ./bulk <file of numbers> <text>")
	}
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	numbers := strings.Fields(string(content))
	if len(numbers) == 0 {
		log.Fatalf("%s has no numbers.", os.Args[1])
	}
	for ; len(numbers) > numbersPerCall; numbers = numbers[numbersPerCall:] {
		send(strings.Join(numbers[:numbersPerCall], ","), os.Args[2])
	}
	send(strings.Join(numbers, ","), os.Args[2])
}

func send(to, text string) {
	sms := map[string]string{"sender": "SIGNALBX", "to": to, "text": text, "type": "TRANS", "campaignName": "example"}
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(to+"\n"+text)))
	var sent struct {
		ID         string
		TotalCount int
	}
	if err := signalbox.Call("POST", "/v1/sms", sms, &sent, key); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sent.ID, sent.TotalCount, "accepted")
	for second := 0; second < followedSeconds; second++ {
		var progress struct{ Data struct{ Statuses map[string]int } }
		if err := signalbox.Call("GET", "/v1/sms/"+sent.ID, nil, &progress, ""); err != nil {
			log.Fatal(err)
		}
		fmt.Println(sent.ID, strings.Trim(fmt.Sprint(progress.Data.Statuses), "map[]"))
		if statuses := progress.Data.Statuses; statuses["Pending"]+statuses["Sent"] == 0 {
			return
		}
		time.Sleep(time.Second)
	}
}
