import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { findTestFiles, type Outcome, type RunKind } from './test-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'weft-runner-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const sources: Record<string, string> = {
  'packages/a/good.test.ts': "test('a', () => {})\ntest.skip('b', () => {})",
  'packages/a/bad.test.ts': "test('outer', (t) => t.test('inner', () => assert.equal(1, 2)))",
  'packages/a/endless.test.ts': "test('passes', () => { setInterval(() => {}, 1_000) })",
  'packages/a/broken.test.ts': "import './missing.ts'",
  'packages/a/soak.long.test.ts': '',
  'test/stock.peer.test.ts': '',
  'test/program.interop.test.ts': '',
  'test/whole.test.ts': '',
  'packages/a/node_modules/b/theirs.test.ts': '',
}
for (const [path, source] of Object.entries(sources)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
  writeFileSync(join(folder, path), `${head}${source}\n`)
}

const elsewhere = join(folder, 'elsewhere.ts')
writeFileSync(
  elsewhere,
  `import { runTestFile } from '${new URL('./test-file.ts', import.meta.url)}'
  const outcome = await runTestFile(import.meta.dirname, process.argv[2], Number(process.argv[3]))
  console.log(JSON.stringify(outcome))`,
)

const ordinary = ['test/whole', 'packages/a/bad', 'packages/a/broken', 'packages/a/endless', 'packages/a/good']
const kinds: { name: string; kind: RunKind; files: string[] }[] = [
  { name: 'by default', kind: {}, files: ordinary },
  { name: 'of full length', kind: { long: true }, files: [...ordinary, 'packages/a/soak.long'] },
  { name: 'against a peer', kind: { peer: true }, files: ['test/stock.peer'] },
  { name: 'with programs of others', kind: { interop: true }, files: ['test/program.interop'] },
]

for (const { name, kind, files } of kinds) {
  test(`a run ${name} takes its files`, () => {
    assert.deepEqual(
      findTestFiles(folder, kind),
      files.map((file) => `${file}.test.ts`),
    )
  })
}

const outcomes: { file: string; deadline: number; isPassed: boolean; counts: Partial<Outcome['counts']> }[] = [
  { file: 'good', deadline: 30_000, isPassed: true, counts: { tests: 2, passed: 1, skipped: 1 } },
  { file: 'bad', deadline: 30_000, isPassed: false, counts: { tests: 2, failed: 2 } },
  { file: 'broken', deadline: 30_000, isPassed: false, counts: { failed: 1 } },
  { file: 'endless', deadline: 2_000, isPassed: false, counts: { passed: 1, cancelled: 1 } },
]

for (const { file, deadline, isPassed, counts } of outcomes) {
  test(`a file that is ${file} ${isPassed ? 'passes' : 'fails'}`, { timeout: 60_000 }, async () => {
    const outcome = await runElsewhere(`packages/a/${file}.test.ts`, deadline)
    assert.equal(outcome.isPassed, isPassed)
    assert.partialDeepStrictEqual(outcome.counts, counts)
  })
}

/** A test runner refuses to run inside a test, so it gets a process that does not know that it is in one. */
async function runElsewhere(file: string, deadline: number): Promise<Outcome> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [elsewhere, file, `${deadline}`], { env })
  return JSON.parse(stdout)
}
