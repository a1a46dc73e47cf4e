import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatIpAddress, parseIpAddress } from './ip-address.ts'

const addresses: [text: string, hex: string, canonical: string][] = [
  ['127.0.0.1', '7f000001', '127.0.0.1'],
  ['::', '0'.repeat(32), '::'],
  ['::1', `${'0'.repeat(31)}1`, '::1'],
  ['2001:DB8::8:0:0:1', '20010db8000000000008000000000001', '2001:db8::8:0:0:1'],
  ['2001:db8:0:1:0:0:0:1', '20010db8000000010000000000000001', '2001:db8:0:1::1'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008', '1:2:3:4:5:6:7:8'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000', '1:2:3:4:5:6:7:0'],
  ['::ffff:10.1.2.3', '00000000000000000000ffff0a010203', '::ffff:a01:203'],
  ['fe80::', `fe80${'0'.repeat(28)}`, 'fe80::'],
]
for (const [text, hex, canonical] of addresses) {
  test(`${text} is ${hex} and prints as ${canonical}`, () => {
    const octets = parseIpAddress(text)
    assert.equal(octets?.toString('hex'), hex)
    assert.equal(formatIpAddress(octets!), canonical)
  })
}

test('what is not a plain address is undefined', () => {
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.256', '[::1]', 'fe80::1%eth0', ':::', '1:2']) {
    assert.equal(parseIpAddress(text), undefined, text)
  }
})
