import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { findPortHolder, listenersIn } from './port-holder.ts'

test('listening sockets are found in a table of the kernel, connected ones are not', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0500 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000000000000000 100
   1: 0100007F:0500 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4343 1 0000000000000000 20
   2: 0100007F:0501 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4444 1 0000000000000000 100
`
  assert.deepEqual(listenersIn(table, 1280), ['4242'])
  assert.deepEqual(listenersIn('', 1280), [])
})

test('the holder of a port is found', { skip: process.platform !== 'linux' && 'needs /proc' }, async () => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const holder = await findPortHolder(port)
  server.close()
  assert.equal(holder?.pid, process.pid)
  assert.match(holder?.command ?? '', /node/)
  await once(server, 'close')
  assert.equal(await findPortHolder(port), undefined)
})

test('a password on the command line of the holder is not shown', {
  skip: process.platform !== 'linux' && 'needs /proc',
  timeout: 20_000,
}, async () => {
  const script = 's=net.createServer().listen(0,()=>console.log(s.address().port))'
  const flags = ['--', '--password', 'open-sesame', '--token=open-sesame', 'shown']
  const child = spawn(process.execPath, ['-e', script, ...flags], { argv0: 'n', stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [printed] = await once(child.stdout, 'data')
    const { pid, command } = (await findPortHolder(Number(String(printed)))) ?? {}
    assert.equal(pid, child.pid)
    assert.match(command ?? '', /shown$/)
    assert.doesNotMatch(command ?? '', /sesame/)
  } finally {
    child.kill()
    await once(child, 'close')
  }
})
