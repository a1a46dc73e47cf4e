import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { REROUTE_ATTEMPT, routesAlong } from './route-message.ts'

const details = {
  circuitId: 'c',
  attempt: 0,
  binding: 'edge',
  destination: 'terminator',
  peerData: new Map([[1003, Buffer.from('key')]]),
  context: {},
  timeout: 10_000,
  tags: { serviceId: 's' },
}
const ends = { ingressId: 'I', egressId: 'E' }
const egress = { binding: 'edge', address: 'E', destination: 'terminator', peerData: details.peerData }

const shapes = [
  { nodes: ['a'], links: [], forwards: [['I>E end', 'E>I start']] },
  {
    nodes: ['a', 'b'],
    links: ['l'],
    forwards: [
      ['I>l link', 'l>I start'],
      ['E>l link', 'l>E end'],
    ],
  },
  {
    nodes: ['a', 'b', 'c'],
    links: ['l', 'm'],
    forwards: [
      ['I>l link', 'l>I start'],
      ['l>m link', 'm>l link'],
      ['E>m link', 'm>E end'],
    ],
  },
]

describe('route messages', () => {
  for (const { nodes, links, forwards } of shapes) {
    test(`tell each of ${nodes.length} routers what it forwards, and the last how to dial`, () => {
      const routes = routesAlong({ nodes, links, ...ends }, details)
      const shown = routes.map((route) => route.forwards.map((f) => `${f.srcAddress}>${f.dstAddress} ${f.dstType}`))
      assert.deepEqual(shown, forwards)
      assert.deepEqual(
        routes.map((route) => route.egress),
        [...nodes.slice(1).map(() => undefined), egress],
      )
      const moved = routesAlong({ nodes, links, ...ends }, { ...details, attempt: REROUTE_ATTEMPT })
      assert.equal(moved.at(-1)?.egress !== undefined, nodes.length === 1)
      for (const { circuitId, timeout, tags } of routes) {
        assert.deepEqual({ circuitId, timeout, tags }, { circuitId: 'c', timeout: 10_000, tags: { serviceId: 's' } })
      }
    })
  }
})
