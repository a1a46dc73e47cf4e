import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Headers } from '../frame/headers.ts'
import { decodeFrame, encodeFrame, type OutgoingMessage } from '../frame/message.ts'
import {
  controlMessages,
  controlType,
  edgeMessages,
  linkMessages,
  managementMessages,
  peerDataKey,
  xgressFlag,
} from './index.ts'

const circuitId = 'gZrStElHY'

interface Example {
  readonly what: string
  readonly message: Required<OutgoingMessage>
  readonly sequence: number
  readonly replyFor?: number
  readonly frame: string
}

const examples: Example[] = [
  {
    what: 'an error for a circuit request',
    message: controlMessages.encode('error', { errorCode: 2, retryHint: 2, body: Buffer.from('invalid api session') }),
    sequence: 13,
    replyFor: 11,
    frame: `03 06 09 0c 22 4e 00 00 0d 00 00 00 24 00 00 00 13 00 00 00
      01 00 00 00 04 00 00 00 0b 00 00 00
      f6 03 00 00 04 00 00 00 02 00 00 00
      12 00 00 00 04 00 00 00 02 00 00 00
      69 6e 76 61 6c 69 64 20 61 70 69 20 73 65 73 73 69 6f 6e`,
  },
  {
    what: 'a server hello',
    message: controlMessages.encode('serverHello', {
      hasDataModel: true,
      body: {
        version: 'v2.1.0',
        data: new Map([
          ['routerModel', 'true'],
          ['instant', 'true'],
        ]),
      },
    }),
    sequence: 7,
    frame: `03 06 09 0c 20 4e 00 00 07 00 00 00 09 00 00 00 2e 00 00 00
      00 04 00 00 01 00 00 00 01
      0a 06 76 32 2e 31 2e 30
      12 0f 0a 07 69 6e 73 74 61 6e 74 12 04 74 72 75 65
      12 13 0a 0b 72 6f 75 74 65 72 4d 6f 64 65 6c 12 04 74 72 75 65`,
  },
  {
    what: 'a circuit request without a service session',
    message: controlMessages.encode('createCircuitV3', {
      identityId: 'id1',
      serviceId: 'svc1',
      circuitId: '',
      apiSessionToken: 'eyJ',
      fingerprints: ['ab'],
      terminatorInstanceId: '',
      peerData: new Map([[peerDataKey.appData, Buffer.from('hi')]]),
    }),
    sequence: 11,
    frame: `03 06 09 0c fe 4e 00 00 0b 00 00 00 5a 00 00 00 00 00 00 00
      0f 00 00 00 03 00 00 00 69 64 31
      10 00 00 00 04 00 00 00 73 76 63 31
      11 00 00 00 00 00 00 00
      0e 00 00 00 03 00 00 00 65 79 4a
      0c 00 00 00 0a 00 00 00 01 00 00 00 02 00 00 00 61 62
      0d 00 00 00 00 00 00 00
      0a 00 00 00 0e 00 00 00 01 00 00 00 f3 03 00 00 02 00 00 00 68 69`,
  },
  {
    what: 'its answer',
    message: controlMessages.encode('createCircuitV3Response', {
      circuitId: 'c1',
      address: 'ing1',
      peerData: new Map(),
      tags: new Map([['clientId', 'id1']]),
    }),
    sequence: 12,
    replyFor: 11,
    frame: `03 06 09 0c ff 4e 00 00 0c 00 00 00 49 00 00 00 00 00 00 00  01 00 00 00 04 00 00 00 0b 00 00 00
      0b 00 00 00 02 00 00 00 63 31  0c 00 00 00 04 00 00 00 69 6e 67 31  0a 00 00 00 00 00 00 00
      0d 00 00 00 17 00 00 00 01 00 00 00 08 00 00 00 63 6c 69 65 6e 74 49 64 03 00 00 00 69 64 31`,
  },
  {
    what: 'a route that worked',
    message: controlMessages.encode('routeResult', { attempt: 0, success: true, body: 'c1' }),
    sequence: 9,
    replyFor: 5,
    frame: `03 06 09 0c fe 03 00 00 09 00 00 00 21 00 00 00 02 00 00 00
      01 00 00 00 04 00 00 00 05 00 00 00  4d 04 00 00 04 00 00 00 00 00 00 00  4e 04 00 00 01 00 00 00 01  63 31`,
  },
  {
    what: 'a route that was refused',
    message: controlMessages.encode('routeResult', { attempt: 0, error: 'refused', errorCode: 4, body: 'c1' }),
    sequence: 10,
    replyFor: 5,
    frame: `03 06 09 0c fe 03 00 00 0a 00 00 00 30 00 00 00 02 00 00 00
      01 00 00 00 04 00 00 00 05 00 00 00  4d 04 00 00 04 00 00 00 00 00 00 00
      4f 04 00 00 07 00 00 00 72 65 66 75 73 65 64  50 04 00 00 01 00 00 00 04  63 31`,
  },
  {
    what: 'a payload',
    message: linkMessages.encode('payload', {
      circuitId,
      sequence: 5,
      flags: xgressFlag.terminator,
      rttStamp: 0x1234,
      body: Buffer.from('hello'),
    }),
    sequence: 42,
    frame: `03 06 09 0c 4c 04 00 00 2a 00 00 00 37 00 00 00 05 00 00 00
      d0 08 00 00 09 00 00 00 67 5a 72 53 74 45 6c 48 59
      d2 08 00 00 04 00 00 00 02 00 00 00
      d1 08 00 00 08 00 00 00 05 00 00 00 00 00 00 00
      d4 08 00 00 02 00 00 00 34 12
      68 65 6c 6c 6f`,
  },
  {
    what: 'the start of a circuit',
    message: linkMessages.encode('payload', {
      circuitId,
      sequence: 0,
      flags: xgressFlag.circuitStart,
      rttStamp: 0xabcd,
      headers: new Map([[1, Buffer.from([0, 0, 1, 0])]]),
      body: Buffer.alloc(0),
    }),
    sequence: 1,
    frame: `03 06 09 0c 4c 04 00 00 01 00 00 00 43 00 00 00 00 00 00 00
      d1 07 00 00 04 00 00 00 00 00 01 00
      d0 08 00 00 09 00 00 00 67 5a 72 53 74 45 6c 48 59
      d2 08 00 00 04 00 00 00 04 00 00 00
      d1 08 00 00 08 00 00 00 00 00 00 00 00 00 00 00
      d4 08 00 00 02 00 00 00 cd ab`,
  },
  {
    what: 'an acknowledgement',
    message: linkMessages.encode('acknowledgement', {
      circuitId,
      flags: xgressFlag.terminator,
      rttStamp: 0x1234,
      recvBufferSize: 5,
      body: [5, 6],
    }),
    sequence: 7,
    frame: `03 06 09 0c 4d 04 00 00 07 00 00 00 33 00 00 00 08 00 00 00
      d4 08 00 00 02 00 00 00 34 12
      d0 08 00 00 09 00 00 00 67 5a 72 53 74 45 6c 48 59
      d2 08 00 00 04 00 00 00 02 00 00 00
      d3 08 00 00 04 00 00 00 05 00 00 00
      00 00 00 05 00 00 00 06`,
  },
  {
    what: 'a trace along a circuit',
    message: linkMessages.encode('control', {
      hopCount: 3,
      timestamp: 0x17979cfe362a0000n,
      userValue: 77,
      body: { type: controlType.traceRoute, circuitId },
    }),
    sequence: 9,
    frame: `03 06 09 0c 4e 04 00 00 09 00 00 00 28 00 00 00 0a 00 00 00
      14 00 00 00 04 00 00 00 03 00 00 00
      17 00 00 00 08 00 00 00 00 00 2a 36 fe 9c 97 17
      18 00 00 00 04 00 00 00 4d 00 00 00
      01 67 5a 72 53 74 45 6c 48 59`,
  },
  {
    what: 'a dial',
    message: edgeMessages.encode('dial', {
      connId: 2,
      newConnId: 0x8000_0000,
      circuitId: '1A2b3C4d5',
      publicKey: Buffer.from('0e0216223f147143d32615a91189c288c1728cba3cc5f9f621b1026e03d83129', 'hex'),
      callerId: 'alice',
      connectionMarker: 'AAECAwQF',
      dialerIdentityId: 'idA',
      dialerIdentityName: 'alice',
      body: Buffer.from('eyJ.e30.c2ln'),
    }),
    sequence: 13,
    frame: `0306090c73ed00000d000000860000000c000000e80300000400000002000000f003000005000000616c696365
      0204000009000000314132623343346435
      eb030000200000000e0216223f147143d32615a91189c288c1728cba3cc5f9f621b1026e03d83129
      010400000800000041414543417751460a040000030000006964410b04000005000000616c696365f40300000400000000000080
      65794a2e6533302e63326c6e`,
  },
  {
    what: 'the answer to a dial',
    message: edgeMessages.encode('dialSuccess', { connId: 2, body: 0x8000_0000 }),
    sequence: 14,
    replyFor: 13,
    frame: `0306090c74ed00000e0000001800000004000000
      01000000040000000d000000e8030000040000000200000000000080`,
  },
  {
    what: 'the end of a circuit in an SDK',
    message: edgeMessages.encode('xgressClose', { body: '1A2b3C4d5' }),
    sequence: 0x15,
    frame: '0306090c4f040000150000000000000009000000314132623343346435',
  },
  {
    what: 'a subscription to events',
    message: managementMessages.encode('streamEvents', {
      body: '{"format":"json","subscriptions":[{"type":"circuit","options":null}]}',
    }),
    sequence: 1,
    frame: `0306090c 38270000 01000000 00000000 45000000
      7b22666f726d6174223a226a736f6e222c22737562736372697074696f6e73223a5b7b2274797065223a2263697263756974222c
      226f7074696f6e73223a6e756c6c7d5d7d`,
  },
  {
    what: 'the answer to it',
    message: managementMessages.encode('result', { success: true, body: 'success' }),
    sequence: 1,
    replyFor: 1,
    frame: `0306090c 02000000 01000000 15000000 07000000
      01000000 04000000 01000000  02000000 01000000 01  73756363657373`,
  },
]

/** The frame with its headers by number: their order is free. */
function sorted(bytes: Buffer): string {
  const { contentType, sequence, headers, body } = decodeFrame(bytes)
  const ordered = new Headers([...headers].sort(([a], [b]) => a - b))
  return encodeFrame(contentType, ordered, body, sequence).toString('hex')
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

describe('frames, byte for byte', () => {
  for (const { what, message, sequence, replyFor, frame } of examples) {
    it(what, () => {
      const headers = message.headers.clone()
      if (replyFor !== undefined) headers.setInt32(1, replyFor)
      assert.equal(sorted(encodeFrame(message.contentType, headers, message.body, sequence)), sorted(fromHex(frame)))
    })
  }
})
