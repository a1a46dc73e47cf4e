import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { dataState } from '@weft/wire/messages'
import { loadModelFile, ModelKeeper, saveModelFile } from './model-file.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-model-file-'))
after(() => rmSync(folder, { recursive: true }))
const state = (endIndex: number) => ({ ...dataState.decode(Buffer.alloc(0)), endIndex, timelineId: 't1' })

test('what was kept is there again; nothing is no failure, and a damaged file is', limits, async () => {
  const path = join(folder, 'router.yml.proto.gzip')
  assert.equal(await loadModelFile(path), undefined)
  await saveModelFile(path, state(47))
  assert.deepEqual(await loadModelFile(path), state(47))
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600)
  for (const [what, bytes] of [
    ['no gzip', Buffer.from('plain')],
    ['half of it', gzipSync(dataState.encode(state(47))).subarray(0, 12)],
    ['no protobuf', gzipSync(Buffer.alloc(100, 0xff))],
  ] as const) {
    writeFileSync(path, bytes)
    await assert.rejects(loadModelFile(path), { code: 'UNREADABLE' }, what)
  }
})

test('only what has changed is written, and a failure is tried again', limits, async () => {
  const path = join(folder, 'later', 'model.gz')
  const errors: string[] = []
  const model = { revision: 1, state: () => state(model.revision) }
  const log = { error: (message: string) => void errors.push(message) }
  const keeper = new ModelKeeper({ model, log }, { path, interval: 60_000 }).start()
  await keeper.save()
  assert.deepEqual(errors, [], 'nothing new, nothing written')
  model.revision = 2
  await keeper.save()
  assert.deepEqual(errors, ['the data model could not be kept'])
  mkdirSync(join(folder, 'later'))
  model.revision = 3
  await keeper[Symbol.asyncDispose]()
  assert.equal((await loadModelFile(path))?.endIndex, 3)
})
