import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import { silentLogger } from '../../log/logger.ts'
import { LinkWatches } from './link-watches.ts'

/** As much of routers as is asked; `away` is not connected. */
function start() {
  const asked: string[] = []
  const connection = (routerId: string) => ({
    async request(
      _name: string,
      { body }: { readonly body: { readonly enable: boolean; readonly pipeRegex: string } },
    ) {
      asked.push(`${routerId} ${body.enable ? 'on' : 'off'} ${body.pipeRegex}`)
    },
  })
  const get = (routerId: string) => (routerId === 'away' ? undefined : { connection: connection(routerId) })
  const routers = { get } as unknown as ConnectedRouters
  return { watches: new LinkWatches({ routers, log: silentLogger }), asked: () => asked.splice(0) }
}

test('both ends of a link are asked while a circuit runs over it', () => {
  const { watches, asked } = start()
  watches.set('c1', { nodes: ['r1', 'r2', 'r3'], links: ['l.1', 'l2'] })
  assert.deepEqual(asked(), ['r1 on /l\\.1$', 'r2 on /l\\.1$', 'r2 on /l2$', 'r3 on /l2$'])
  watches.set('c2', { nodes: ['r1', 'r2'], links: ['l.1'] })
  assert.deepEqual(asked(), [], 'once is enough')
  watches.set('c1', { nodes: ['r1', 'r3'], links: ['l3'] })
  assert.deepEqual(asked(), ['r2 off /l2$', 'r3 off /l2$', 'r1 on /l3$', 'r3 on /l3$'])
  watches.renew((routerId) => routerId === 'r1')
  assert.deepEqual(asked(), ['r1 on /l\\.1$', 'r1 on /l3$'])
  watches.set('c1', undefined)
  watches.set('c2', undefined)
  assert.deepEqual(asked(), ['r1 off /l3$', 'r3 off /l3$', 'r1 off /l\\.1$', 'r2 off /l\\.1$'])
  watches.renew(() => true)
  assert.deepEqual(asked(), [])
})

test('links are known by either name, also when they were left', () => {
  const { watches, asked } = start()
  watches.set('c1', { nodes: ['r1', 'away'], links: ['l1'] })
  assert.deepEqual(asked(), ['r1 on /l1$'])
  watches.set('c1', undefined)
  assert.deepEqual(
    [watches.has('r1', 'l/l1'), watches.has('r1', 'link/l1'), watches.has('r1', 'l/l2'), watches.has('r2', 'l/l1')],
    [true, true, false, false],
  )
})
