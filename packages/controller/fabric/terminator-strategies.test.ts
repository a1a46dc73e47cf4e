import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type PeerData, peerDataKeys } from './peer-data.ts'
import { biasedCost, type Precedence, unbiasedCost } from './precedence.ts'
import { strategyNamed } from './terminator-strategies.ts'

const nothing: PeerData = new Map()

function candidate(id: string, precedence: Precedence, cost: number) {
  return { id, precedence, routeCost: biasedCost(precedence, cost) }
}

const candidates = [candidate('a', 'default', 10), candidate('b', 'default', 30), candidate('c', 'failed', 1)]

function picked(name: string, random: number, peerData: PeerData = nothing) {
  return strategyNamed(name)!.pick(candidates, { peerData, random: () => random }).terminator.id
}

describe('precedence', () => {
  test('no cost leaves the band of its precedence', () => {
    const bands: readonly Precedence[] = ['required', 'default', 'failed']
    let last = -1
    for (const precedence of bands) {
      const [least, most] = [biasedCost(precedence, 0), biasedCost(precedence, Number.MAX_SAFE_INTEGER)]
      assert.equal(least, last + 1)
      assert.equal(unbiasedCost(precedence, biasedCost(precedence, 77)), 77)
      last = most
    }
    assert.equal(last, 3_221_225_468)
  })
})

describe('strategies', () => {
  test('smartrouting takes the cheapest', () => {
    assert.equal(picked('smartrouting', 0.99), 'a')
  })

  test('random takes any of the best precedence', () => {
    assert.deepEqual(
      [0, 0.49, 0.5, 0.999].map((random) => picked('random', random)),
      ['a', 'a', 'b', 'b'],
    )
  })

  test('weighted takes each the more often the less it costs', () => {
    // Weights are 1 - 10/40 and 1 - 30/40.
    assert.deepEqual(
      [0, 0.74, 0.76, 0.999].map((random) => picked('weighted', random)),
      ['a', 'a', 'b', 'b'],
    )
  })

  test('sticky takes the cheapest and tells its id, which brings the same one again', () => {
    const { terminator, peerData } = strategyNamed('sticky')!.pick(candidates, { peerData: nothing, random: () => 0 })
    assert.equal(terminator.id, 'a')
    assert.equal(Buffer.from(peerData.get(peerDataKeys.stickinessToken)!).toString(), 'a')
    const token = (id: string) => new Map([[peerDataKeys.stickinessToken, Buffer.from(id)]])
    assert.equal(picked('sticky', 0, token('b')), 'b')
    assert.equal(picked('sticky', 0, token('c')), 'a', 'a worse precedence is left')
    assert.equal(picked('sticky', 0, token('gone')), 'a')
  })

  test('random alone keeps no costs', () => {
    const counting = ['smartrouting', 'weighted', 'sticky', 'random'].map((name) => strategyNamed(name)?.isCounting)
    assert.deepEqual(counting, [true, true, true, false])
    assert.equal(strategyNamed('toString'), undefined)
  })
})
