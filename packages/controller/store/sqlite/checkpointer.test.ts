import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Checkpointer } from './checkpointer.ts'

function watched(pages: number) {
  const calls: string[] = []
  const errors: unknown[] = []
  const record = (name: string) => async () => {
    calls.push(name)
    return { pages, moved: pages }
  }
  const deps = {
    besideCommits: record('beside'),
    betweenCommits: record('between'),
    failed: (e: unknown) => errors.push(e),
  }
  return { calls, errors, deps }
}

test('small commits gather until a checkpoint is worth it', async () => {
  const { calls, deps } = watched(100)
  const checkpointer = new Checkpointer(deps)
  for (let commit = 0; commit < 700; commit += 1) checkpointer.note(1)
  assert.deepEqual(calls, [])
  for (let commit = 0; commit < 200; commit += 1) checkpointer.note(1)
  await checkpointer.settle()
  assert.deepEqual(calls, ['beside'])
})

test('one runs at a time, however much is written meanwhile', async () => {
  const { calls, deps } = watched(100)
  const checkpointer = new Checkpointer(deps)
  for (let commit = 0; commit < 50; commit += 1) checkpointer.note(10_000)
  await checkpointer.settle()
  assert.deepEqual(calls, ['beside'])
  checkpointer.note(1)
  await checkpointer.settle()
  assert.deepEqual(calls, ['beside', 'beside'])
})

test('a long log ends between two commits', async () => {
  const { calls, deps } = watched(50_000)
  const checkpointer = new Checkpointer(deps)
  checkpointer.note(10_000)
  await checkpointer.settle()
  assert.deepEqual(calls, ['beside', 'beside', 'between'])
})

test('a failure is reported', async () => {
  const { errors, deps } = watched(1)
  const broken = new Error('disk I/O error')
  const checkpointer = new Checkpointer({ ...deps, besideCommits: () => Promise.reject(broken) })
  checkpointer.note(10_000)
  await checkpointer.settle()
  assert.deepEqual(errors, [broken])
})
