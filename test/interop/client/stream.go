package main

import (
	random "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"math/rand/v2"
	"time"
)

// One write is a part of a stream: large enough to be worth a frame, small enough for a pace to be even.
const partSize = 16 * 1024

// digest counts and sums what passes.
type digest struct {
	bytes int64
	sum   hash.Hash
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

func (d *digest) Write(part []byte) (int, error) {
	d.bytes += int64(len(part))
	return d.sum.Write(part)
}

func (d *digest) facts() facts {
	return facts{"bytes": d.bytes, "sha256": hex.EncodeToString(d.sum.Sum(nil))}
}

// readAll hears what arrives, until the other side has said that it says no more.
func readAll(from io.Reader) (*digest, error) {
	received := newDigest()
	_, err := io.CopyBuffer(received, from, make([]byte, partSize))
	return received, err
}

// outpour is a stream of bytes at a pace. No two are the same, so that what strays from one into another is noticed.
type outpour struct {
	bytes int64
	// Bytes in a second; as fast as it goes when there is none.
	rate int64
	// Told once, when half of it has been written.
	halfway func()
}

func (o outpour) pour(into io.Writer) (*digest, error) {
	sent := newDigest()
	var seed [32]byte
	if _, err := io.ReadFull(random.Reader, seed[:]); err != nil {
		return sent, err
	}
	source := rand.NewChaCha8(seed)
	part := make([]byte, partSize)
	started := time.Now()
	isHalfwayTold := false
	for sent.bytes < o.bytes {
		part = part[:min(partSize, o.bytes-sent.bytes)]
		if _, err := source.Read(part); err != nil {
			return sent, err
		}
		if _, err := into.Write(part); err != nil {
			return sent, err
		}
		if _, err := sent.Write(part); err != nil {
			return sent, err
		}
		if !isHalfwayTold && sent.bytes*2 >= o.bytes {
			isHalfwayTold = true
			o.halfway()
		}
		if o.rate > 0 {
			time.Sleep(time.Until(started.Add(time.Duration(sent.bytes) * time.Second / time.Duration(o.rate))))
		}
	}
	return sent, nil
}
