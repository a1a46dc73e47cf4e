import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandshakeWindow } from './handshake-window.ts'

const options = {
  minSize: 5,
  maxSize: 100,
  successThreshold: 0.9,
  increaseFactor: 1.02,
  decreaseFactor: 0.9,
  increaseCheckInterval: 10,
  decreaseCheckInterval: 10,
}

function times(count: number, run: () => void): void {
  for (let left = count; left > 0; left--) run()
}

test('it starts large, shrinks with those who are not served, and never below its least size', () => {
  const window = new HandshakeWindow(options)
  assert.equal(window.size, 100)
  times(9, () => window.failed())
  assert.equal(window.size, 100)
  window.failed()
  assert.equal(window.size, 90)
  times(1_000, () => window.failed())
  assert.equal(window.size, 5)
})

test('it grows when nearly all are served, up to its full size', () => {
  const window = new HandshakeWindow(options)
  times(1_000, () => window.failed())
  times(10, () => window.succeeded())
  assert.equal(window.size, 6)
  times(5_000, () => window.succeeded())
  assert.equal(window.size, 100)
})

test('while one in five is not served it does not grow', () => {
  const window = new HandshakeWindow(options)
  times(1_000, () => window.failed())
  times(1_000, () => {
    times(4, () => window.succeeded())
    window.failed()
  })
  assert.equal(window.size, 5)
})
