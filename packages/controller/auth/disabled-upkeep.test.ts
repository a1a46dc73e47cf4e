import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestController } from '../testing/test-controller.ts'

test('an identity that was disabled for a while is enabled by a change, which routers see', {
  timeout: 30_000,
}, async () => {
  await using controller = await TestController.start()
  const { kit, writer } = controller.core
  const id = await kit.writeAsController((change) => {
    const identity = change.create('identities', { name: 'away', typeId: 'Default' })
    const now = Date.now()
    change.update('identities', identity.id, {
      disabledAt: new Date(now).toISOString(),
      disabledUntil: new Date(now + 300).toISOString(),
    })
    return identity.id
  })
  const seen = Promise.withResolvers<void>()
  writer.follow((commits) => {
    for (const { changes } of commits) {
      for (const change of changes) {
        if (change.id === id && (change.after as { disabledUntil?: unknown } | undefined)?.disabledUntil === null)
          seen.resolve()
      }
    }
  })
  await seen.promise
  assert.equal(kit.view.get('identities', id)?.disabledAt, null)
})
