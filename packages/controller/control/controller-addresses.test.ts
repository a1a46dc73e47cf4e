import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlMessages } from '@weft/wire/messages'
import { controlPair } from '../testing/control-pair.ts'
import { addressTeller, type ControllerAddress } from './controller-addresses.ts'

const usual: ControllerAddress = { controllerId: 'ctrl', ctrlAddress: 'tls:here:6262' }

const cases: readonly [what: string, options: ControllerAddress, address: string][] = [
  ['where the controller is', usual, 'tls:here:6262'],
  ['where it will be', { ...usual, newCtrlListener: 'tls:there:6262' }, 'tls:there:6262'],
]

for (const [what, options, address] of cases) {
  test(`a router is told ${what}, by the id of the hello and a higher index after each start`, async () => {
    const heard = Promise.withResolvers<object>()
    await using pair = await controlPair('r1', (router) => {
      router.handle(controlMessages.typeOf('updateCtrlAddresses'), (frame) => {
        heard.resolve(controlMessages.decodeAs('updateCtrlAddresses', frame).body)
      })
    })
    addressTeller(options, 7)(pair.connection)
    const controllers = [{ id: 'ctrl', endpoints: [{ address, groups: [] }] }]
    assert.deepEqual(await heard.promise, { addresses: [address], index: 7, isLeader: true, controllers })
  })
}
