import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { View } from '../../state/view.ts'
import type { DialState, DialStatus } from '../dialing/dial-schedule.ts'
import { type DialersDeps, validateDialers } from './controller-dialers.ts'

type Case = readonly [
  name: string,
  row: { readonly disabled?: boolean; readonly fingerprint?: string | null; readonly groups?: readonly string[] },
  isOnline: boolean,
  status: DialStatus | undefined,
  problem: string | undefined,
]

/** Undefined: there is no result; empty: all is well. */
const cases: readonly Case[] = [
  ['connected', {}, true, undefined, ''],
  ['connected a moment ago', {}, true, 'Connected', ''],
  ['connected and dialled', {}, true, 'Dialing', 'connected, but its dial state is Dialing'],
  ['waiting', {}, false, 'NeedsDial', 'not connected, dial state is NeedsDial'],
  ['lost unnoticed', {}, false, 'Connected', 'not connected, dial state is Connected'],
  ['forgotten', {}, false, undefined, 'not connected and not being dialed'],
  ['not enrolled', { fingerprint: null }, false, undefined, 'not connected: it has not enrolled'],
  ['disabled', { disabled: true }, false, undefined, undefined],
  [
    'disabled and dialled',
    { disabled: true },
    false,
    'NeedsDial',
    'router is disabled, but has the dial state NeedsDial',
  ],
  ['of others', { groups: ['east'] }, false, undefined, undefined],
  [
    'of others and dialled',
    { groups: ['east'] },
    false,
    'NeedsDial',
    'router listens for no controller of these groups, but has the dial state NeedsDial',
  ],
]

function setUp(): DialersDeps {
  const rows = cases.map(([name, { disabled = false, fingerprint = 'print', groups = [] }]) => ({
    ...{ id: name, name, disabled, fingerprint },
    ctrlChanListeners: { 'tls:a:1': groups },
  }))
  const state = (routerId: string, status: DialStatus): DialState => ({
    ...{ routerId, status, addresses: ['tls:a:1'], currentAddress: 'tls:a:1', attempts: 0, retryDelay: 0, nextAt: 0 },
  })
  const noted = cases.flatMap(([name, , , status]) => (status === undefined ? [] : [state(name, status)]))
  const states = new Map([...noted, state('deleted', 'NeedsDial')].map((each) => [each.routerId, each]))
  const options = {
    ...{ groups: ['default'], dialDelay: 0, minRetryInterval: 0, maxRetryInterval: 0, retryBackoffFactor: 1 },
    ...{ fastFailureWindow: 0, queueSize: 1, maxWorkers: 1 },
  }
  const online = new Set(cases.filter(([, , isOnline]) => isOnline).map(([name]) => name))
  return {
    view: { rows: () => rows.values() } as unknown as View,
    routers: { isOnline: (routerId) => online.has(routerId) },
    dialer: { options, states: () => states },
  }
}

test('there is a result for each router that is to be dialled, or is dialled and should not be', async () => {
  const { count, run } = validateDialers(setUp())
  const found = new Map<string, string>()
  await run(async ({ componentId, validateSuccess, errors }) => {
    assert.equal(validateSuccess, errors.length === 0)
    found.set(componentId, errors.join())
  }, new AbortController().signal)
  const wanted = cases.flatMap(([name, , , , problem]) => (problem === undefined ? [] : [[name, problem] as const]))
  assert.deepEqual([...found], [...wanted, ['deleted', 'router is gone, but has the dial state NeedsDial']])
  assert.equal(count, found.size)
})

test('a stream that ends is told no more', async () => {
  const { run } = validateDialers(setUp())
  const stop = new AbortController()
  let told = 0
  await run(async () => {
    told++
    stop.abort()
  }, stop.signal)
  assert.equal(told, 1)
})
