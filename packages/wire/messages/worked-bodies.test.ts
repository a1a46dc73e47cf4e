import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bigEndianMask } from '../catalogue/value-kinds.ts'
import { decodeFrame } from '../frame/message.ts'
import {
  capabilityMask,
  controllerCapability,
  controlMessages,
  edgeHello,
  edgeMessages,
  hasCapability,
  linkHello,
  linkListeners,
  routerCapability,
} from './index.ts'

function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

describe('bodies, byte for byte', () => {
  const bodies: [string, Buffer, string][] = [
    [
      'link listeners',
      linkListeners.encode({
        listeners: [{ address: 'tls:er1.example:3022', protocol: 'tls', groups: ['default'] }],
      }),
      `0a 24 0a 14 74 6c 73 3a 65 72 31 2e 65 78 61 6d 70 6c 65 3a 33 30 32 32
        12 03 74 6c 73 22 07 64 65 66 61 75 6c 74`,
    ],
    [
      'a client hello',
      controlMessages.encode('clientHello', {
        body: {
          version: 'v2.1.0',
          hostname: 'er1.example',
          protocols: ['tls'],
          protocolPorts: ['3022'],
          listeners: [
            {
              address: { value: 'tls:0.0.0.0:3022', protocol: 'tls', hostname: '0.0.0.0', port: 3022 },
              advertise: { value: 'er1.example:3022', protocol: 'tls', hostname: 'er1.example', port: 3022 },
            },
          ],
        },
      }).body,
      `0a 06 76 32 2e 31 2e 30  12 0b 65 72 31 2e 65 78 61 6d 70 6c 65  1a 03 74 6c 73  2a 04 33 30 32 32
        52 55  52 26 52 10 74 6c 73 3a 30 2e 30 2e 30 2e 30 3a 33 30 32 32 a2 01 03 74 6c 73
        f2 01 07 30 2e 30 2e 30 2e 30 c0 02 ce 17
        a2 01 2a 52 10 65 72 31 2e 65 78 61 6d 70 6c 65 3a 33 30 32 32 a2 01 03 74 6c 73
        f2 01 0b 65 72 31 2e 65 78 61 6d 70 6c 65 c0 02 ce 17`,
    ],
    [
      'a first subscription',
      controlMessages.encode('subscribeToDataModel', {
        body: { subscriptionDurationSeconds: 300, subscriptionId: 'sub1' },
      }).body,
      '10 ac 02 2a 04 73 75 62 31',
    ],
    [
      'its renewal',
      controlMessages.encode('subscribeToDataModel', {
        body: {
          currentIndex: 42,
          subscriptionDurationSeconds: 300,
          renew: true,
          timelineId: 'tl1',
          subscriptionId: 'sub1',
        },
      }).body,
      '08 2a 10 ac 02 18 01 22 03 74 6c 31 2a 04 73 75 62 31',
    ],
    [
      'a change set',
      controlMessages.encode('dataStateChangeSet', {
        body: {
          index: 43,
          previousIndex: 42,
          changes: [{ model: { kind: 'service', value: { id: 'svc1', name: 'web', encryptionRequired: true } } }],
        },
      }).body,
      '08 2b 1a 0f 5a 0d 0a 04 73 76 63 31 12 03 77 65 62 18 01 28 2a',
    ],
    [
      'a link fault',
      controlMessages.encode('fault', { body: { subject: 'LinkFault', id: 'lnk1', iteration: 4 } }).body,
      '08 02 12 04 6c 6e 6b 31 18 04',
    ],
    [
      'all links of a router',
      controlMessages.encode('routerLinks', {
        body: {
          fullRefresh: true,
          links: [
            {
              id: 'lnk1',
              destRouterId: 'r2',
              linkProtocol: 'tls',
              dialAddress: 'tls:r2:3022',
              iteration: 1,
              connState: {
                stateIteration: 1,
                conns: [{ type: 'link.default', localAddr: 'tcp:10.0.0.1:5000', remoteAddr: 'tcp:10.0.0.2:3022' }],
              },
            },
          ],
        },
      }).body,
      `0a 58 0a 04 6c 6e 6b 31 12 02 72 32 1a 03 74 6c 73 2a 0b 74 6c 73 3a 72 32 3a 33 30 32 32 30 01
        3a 38 08 01 12 34 0a 0c 6c 69 6e 6b 2e 64 65 66 61 75 6c 74 12 11 74 63 70 3a 31 30 2e 30 2e 30 2e 31 3a 35
        30 30 30 1a 11 74 63 70 3a 31 30 2e 30 2e 30 2e 32 3a 33 30 32 32
        10 01`,
    ],
    [
      'a route at its beginning',
      controlMessages.encode('route', {
        body: {
          circuitId: 'c1',
          forwards: [
            { srcAddress: 'ing1', dstAddress: 'lnk1', dstType: 'Link' },
            { srcAddress: 'lnk1', dstAddress: 'ing1', dstType: 'Start' },
          ],
          timeout: 9_900_000_000n,
        },
      }).body,
      `0a 02 63 31 22 0e 0a 04 69 6e 67 31 12 04 6c 6e 6b 31 18 02 22 0c 0a 04 6c 6e 6b 31 12 04 69 6e 67 31
        30 80 86 d8 f0 24`,
    ],
    [
      'a posture response',
      edgeMessages.encode('postureResponses', {
        body: { responses: [{ type: { kind: 'os', value: { type: 'Linux', version: '6.1.0' } } }] },
      }).body,
      '0a10120e0a054c696e75781205362e312e30',
    ],
    [
      'a subscription to services',
      edgeMessages.encode('subscribeToServiceUpdates', { body: { index: -1n } }).body,
      '08ffffffffffffffffff01',
    ],
  ]
  for (const [what, written, hex] of bodies) {
    it(what, () => assert.equal(written.toString('hex'), fromHex(hex).toString('hex')))
  }
})

describe('capabilities', () => {
  it('of a controller and a router of 2.1 have these masks', () => {
    assert.equal(bigEndianMask.write(capabilityMask(Object.values(controllerCapability))).toString('hex'), '7e')
    const router = bigEndianMask.write(capabilityMask(Object.values(routerCapability)))
    assert.equal(router.toString('hex'), '4000000000000076')
    assert.equal(hasCapability(bigEndianMask.read(router), routerCapability.routerDataModel), true)
    assert.equal(hasCapability(bigEndianMask.read(router), 3), false)
    assert.equal(hasCapability(undefined, 1), false)
  })
})

describe('hellos', () => {
  it('of a link are read from their example', () => {
    const hello = decodeFrame(
      fromHex(`03 06 09 0c 00 00 00 00 ff ff ff ff ac 00 00 00 16 00 00 00
        02 00 00 00 03 00 00 00 72 2d 41
        00 00 00 00 24 00 00 00 35 66 30 63 39 66 32 65 2d 31 31 31 31 2d 34 32 32 32 2d
        38 33 33 33 2d 34 34 34 34 35 35 35 35 36 36 36 36
        03 00 00 00 06 00 00 00 76 32 2e 31 2e 30
        04 00 00 00 04 00 00 00 65 74 68 30
        06 00 00 00 03 00 00 00 72 2d 42
        64 00 00 00 16 00 00 00 33 6b 54 71 31 57 70 5a 62 59 34 78 54 30 76 58 6e 32 6d 52 36 65
        05 00 00 00 04 00 00 00 01 00 00 00
        0b 00 00 00 01 00 00 00 01
        09 00 00 00 01 00 00 00 01
        07 00 00 00 0c 00 00 00 6c 69 6e 6b 2e 64 65 66 61 75 6c 74
        33 6b 54 71 31 57 70 5a 62 59 34 78 54 30 76 58 6e 32 6d 52 36 65`),
    )
    assert.deepEqual(linkHello.decodeHeaders('hello', hello.headers), {
      half: undefined,
      routerId: 'r-A',
      routerVersion: 'v2.1.0',
      dialerBinding: 'eth0',
      iteration: 1,
      dialedRouterId: 'r-B',
      linkId: '3kTq1WpZbY4xT0vXn2mR6e',
    })
  })

  it('of an SDK are answered with what the router can do', () => {
    const capabilities = capabilityMask(Object.values(routerCapability))
    const answer = { version: undefined, supportsBindSuccess: true, supportsPostureChecks: true, capabilities }
    const { headers } = edgeHello.encode('answer', answer)
    assert.deepEqual(edgeHello.decodeHeaders('answer', headers), answer)
    assert.equal(
      headers.encode().toString('hex'),
      '0004000001000000010804000001000000010f040000080000004000000000000076',
    )
  })
})
