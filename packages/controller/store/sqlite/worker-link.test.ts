import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCode } from '../store.suite.ts'
import type { ReadSide } from './read-side.ts'
import { type Role, WorkerLink } from './worker-link.ts'

test('a thread that dies fails what was asked and what is asked later', async () => {
  await using link = WorkerLink.start<ReadSide>('no such side' as Role)
  const asked = await Promise.allSettled([link.call('check'), link.call('checkpoint')])
  assert.ok(asked.every((result) => 'reason' in result && hasCode('STORE_FAILED')(result.reason)))
  await assert.rejects(link.call('check'), hasCode('STORE_FAILED'))
})

test('closing twice, and before anything was opened, is nothing special', async () => {
  const link = WorkerLink.start<ReadSide>('read')
  await link[Symbol.asyncDispose]()
  await link[Symbol.asyncDispose]()
  await assert.rejects(link.call('check'), hasCode('STORE_CLOSED'))
})
