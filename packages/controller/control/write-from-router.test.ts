import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Commit } from '../state/writer.ts'
import { createCarriedService, hostAt, tokensFor } from '../testing/carried-service.ts'
import { TestController } from '../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

test('what comes over a control channel is the router’s doing, or that of whom it speaks for', async () => {
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const { serviceId, host } = await createCarriedService(controller)
  const tokens = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
  const commits: Commit[] = []
  const unfollow = controller.core.writer.follow((told) => void commits.push(...told))
  const { id } = await hostAt(router, tokens)
  const { apiSessionToken, sessionToken } = tokens
  await router.ask('updateTerminator', {
    body: { terminatorId: id, apiSessionToken, sessionToken, cost: 7, updateCost: true },
  })
  await router.ask('quiesceRouter', {})
  await router.ask('removeTerminators', { body: { terminatorIds: [id] } })
  unfollow()
  const { view } = controller.core.kit
  const asHost = ['identity', host.identityId, view.get('identities', host.identityId)!.name]
  const asRouter = ['router', router.id, view.get('routers', router.id)!.name]
  assert.deepEqual(
    commits
      .filter(({ changes }) => changes.some(({ table }) => table === 'terminators'))
      .map(({ cause: { author, source } }) => [source?.type, source?.method, author.type, author.id, author.name]),
    [
      ['ctrl.channel', 'create.terminator', ...asHost],
      ['ctrl.channel', 'update.terminator', ...asHost],
      ['ctrl.channel', 'quiesce.router', ...asRouter],
      ['ctrl.channel', 'fabric.remove.terminators.batch', ...asRouter],
    ],
  )
  const source = commits[0]!.cause.source!
  assert.match(source.remoteAddr!, /^127\.0\.0\.1:\d+$/)
  assert.match(source.localAddr!, /^127\.0\.0\.1:\d+$/)
})
