import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import type { Interfaces } from '../config/local-binding.ts'
import { describeInterfaces, InterfaceReporter, type ReportedInterface } from './interface-reporter.ts'

const entry = (address: string, internal = false) => ({
  address,
  cidr: `${address}/24`,
  netmask: '255.255.255.0',
  family: 'IPv4' as const,
  mac: internal ? '00:00:00:00:00:00' : '02:00:00:00:00:01',
  internal,
})

test('what is said of an interface', () => {
  const described = describeInterfaces({
    wan0: [entry('192.0.2.9'), entry('192.0.2.1')],
    lo: [entry('127.0.0.1', true)],
  })
  assert.deepEqual(described, [
    { name: 'lo', hardwareAddress: '', mtu: 0, index: 0, flags: 37, addresses: ['127.0.0.1/24'] },
    {
      name: 'wan0',
      hardwareAddress: '02:00:00:00:00:01',
      mtu: 0,
      index: 0,
      flags: 33,
      addresses: ['192.0.2.1/24', '192.0.2.9/24'],
    },
  ])
  assert.ok(describeInterfaces(networkInterfaces()).length > 0)
})

test('changes are told, repetitions only now and then, and failures again', async () => {
  const state: { found: Interfaces; now: number; isTaken: boolean } = { found: {}, now: 1_000, isTaken: false }
  const told: (readonly ReportedInterface[])[] = []
  const warnings: string[] = []
  const reporter = new InterfaceReporter(
    {
      interfaces: () => state.found,
      report: async (interfaces) => {
        told.push(interfaces)
        if (told.length === 1) throw new Error('no controller')
        return state.isTaken
      },
      monotonic: () => state.now,
      log: { warn: (message) => void warnings.push(message) },
    },
    { checkInterval: 60_000, minReportInterval: 10_000 },
  )
  await reporter.look()
  await reporter.look()
  assert.deepEqual([told.length, warnings.length], [2, 1], 'not taken, so told again')
  state.isTaken = true
  await reporter.look()
  await reporter.look()
  assert.equal(told.length, 3)
  state.found = { lo: [entry('127.0.0.1', true)] }
  await reporter.look()
  assert.equal(told.at(-1)?.[0]?.name, 'lo')
  state.now += 10_000
  await reporter.look()
  assert.equal(told.length, 5)
  await reporter[Symbol.asyncDispose]()
})
