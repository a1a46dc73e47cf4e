import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestFabric, TestRouter } from '../../fabric/test-fabric.ts'
import { Inspector } from './inspector.ts'

/** A router whose channel answers as it is told to. */
function answering(id: string, answer: (names: readonly string[]) => unknown): TestRouter {
  const request = async (_: string, { body }: { readonly body: { readonly requestedValues: readonly string[] } }) => {
    return { message: { body: answer(body.requestedValues) } }
  }
  return Object.assign(new TestRouter(id), { request })
}

test('all who match are asked, and who fails is an error among the values of others', async (t) => {
  await using net = new TestFabric(t)
  for (const id of ['r1', 'r2', 'r3']) {
    net.change((change) => change.create('routers', { name: `name of ${id}`, kind: 'edge' }, { id }))
  }
  net.connect(answering('r1', ([name]) => ({ errors: [], values: [{ name, value: '{"a":1}' }] })))
  net.connect(answering('r2', () => ({ errors: ['not known here'], values: [] })))
  net.connect(
    answering('r3', () => {
      throw new Error('did not answer in time')
    }),
  )
  const controllerValue = (name: string) => {
    if (name === 'broken') throw new Error('cannot be read')
    return name === 'links' ? { links: [] } : undefined
  }
  const { view } = net.network
  const inspector = new Inspector({ view, routers: net.state.routers, controllerValue }, { controllerId: 'c1' })

  const all = await inspector.inspect('.*', ['links', 'broken'])
  assert.equal(all.success, false)
  assert.deepEqual(all.errors, ['c1: cannot be read', 'r2: not known here', 'r3: did not answer in time'])
  assert.deepEqual(all.values, [
    { appId: 'c1', name: 'links', value: '{"links":[]}' },
    { appId: 'r1', name: 'links', value: '{"a":1}' },
  ])
  const often = await inspector.inspect('c1', Array<string>(500).fill('links'))
  assert.equal(often.values.length, 1, 'what is asked for many times is answered once')
  const byName = await inspector.inspect('name of r1', ['links'])
  assert.deepEqual([byName.success, byName.values.map(({ appId }) => appId)], [true, ['r1']])
  assert.deepEqual(await inspector.inspect('nobody', ['links']), { success: true, errors: [], values: [] })
})
