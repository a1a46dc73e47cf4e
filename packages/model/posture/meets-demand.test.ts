import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { meetsDemand } from './meets-demand.ts'
import type { EndpointPosture, PostureDemand, ReportedProcess } from './posture-demand.ts'

const silent: EndpointPosture = { process: () => undefined, mfa: {} }

interface Case {
  readonly name: string
  readonly demand: PostureDemand
  readonly posture: Partial<EndpointPosture> & { readonly processes?: Readonly<Record<string, ReportedProcess>> }
  readonly isMet: boolean
}

const linux: PostureDemand = {
  typeId: 'OS',
  operatingSystems: [
    { type: 'Linux', versions: ['>=5.0.0', '3.x'] },
    { type: 'Windows', versions: null },
    { type: 'macOS', versions: [] },
  ],
}
const domain: PostureDemand = { typeId: 'DOMAIN', domains: ['corp', 'Corp.Example'] }
const mac: PostureDemand = { typeId: 'MAC', macAddresses: ['001122334455'] }
const agent = { path: '/usr/bin/agent', hashes: ['AB', 'cd'], signerFingerprints: ['F1'] }
const plain = { path: '/usr/bin/plain', hashes: [], signerFingerprints: [''] }
const one: PostureDemand = { typeId: 'PROCESS', process: agent }
const all: PostureDemand = { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [agent, plain] }
const any: PostureDemand = { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [agent, plain] }
const signed = { isRunning: true, hash: 'ab', signerFingerprints: ['e0', 'f1'] }
const running = { isRunning: true, hash: '', signerFingerprints: [] }

const cases: readonly Case[] = [
  {
    name: 'a version in a range',
    demand: linux,
    posture: { system: { type: 'linux', version: '6.1.0' } },
    isMet: true,
  },
  { name: 'the other range', demand: linux, posture: { system: { type: 'Linux', version: '3.2.0' } }, isMet: true },
  {
    name: 'a version in no range',
    demand: linux,
    posture: { system: { type: 'Linux', version: '4.0.0' } },
    isMet: false,
  },
  { name: 'a version that is none', demand: linux, posture: { system: { type: 'Linux', version: '6' } }, isMet: false },
  { name: 'any version, null', demand: linux, posture: { system: { type: 'WINDOWS', version: 'x' } }, isMet: true },
  { name: 'any version, none listed', demand: linux, posture: { system: { type: 'macos', version: '' } }, isMet: true },
  { name: 'another system', demand: linux, posture: { system: { type: 'iOS', version: '6.1.0' } }, isMet: false },
  {
    name: 'a range that cannot be read',
    demand: { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['nonsense'] }] },
    posture: { system: { type: 'Linux', version: '6.1.0' } },
    isMet: false,
  },
  { name: 'a domain in another case', demand: domain, posture: { domain: 'cORP.example' }, isMet: true },
  { name: 'another domain', demand: domain, posture: { domain: 'corp.example.org' }, isMet: false },
  { name: 'no domain', demand: domain, posture: { domain: '' }, isMet: false },
  { name: 'an address with colons', demand: mac, posture: { macAddresses: ['aa', '00:11:22:33:44:55'] }, isMet: true },
  { name: 'an address with hyphens', demand: mac, posture: { macAddresses: ['00-11-22-33-44-55'] }, isMet: true },
  { name: 'another address', demand: mac, posture: { macAddresses: ['00:11:22:33:44:56'] }, isMet: false },
  { name: 'no address', demand: mac, posture: { macAddresses: [] }, isMet: false },
  {
    name: 'an address without digits',
    demand: { typeId: 'MAC', macAddresses: [''] },
    posture: { macAddresses: ['zz'] },
    isMet: false,
  },
  { name: 'hash and signer', demand: one, posture: { processes: { [agent.path]: signed } }, isMet: true },
  {
    name: 'not running',
    demand: one,
    posture: { processes: { [agent.path]: { ...signed, isRunning: false } } },
    isMet: false,
  },
  {
    name: 'another hash',
    demand: one,
    posture: { processes: { [agent.path]: { ...signed, hash: 'ef' } } },
    isMet: false,
  },
  {
    name: 'another signer',
    demand: one,
    posture: { processes: { [agent.path]: { ...signed, signerFingerprints: ['e0'] } } },
    isMet: false,
  },
  { name: 'another path', demand: one, posture: { processes: { '/usr/bin/other': signed } }, isMet: false },
  {
    name: 'neither hash nor signer demanded',
    demand: { typeId: 'PROCESS', process: plain },
    posture: { processes: { [plain.path]: running } },
    isMet: true,
  },
  {
    name: 'all processes',
    demand: all,
    posture: { processes: { [agent.path]: signed, [plain.path]: running } },
    isMet: true,
  },
  { name: 'one of all processes', demand: all, posture: { processes: { [plain.path]: running } }, isMet: false },
  { name: 'one of any processes', demand: any, posture: { processes: { [plain.path]: running } }, isMet: true },
  { name: 'none of any processes', demand: any, posture: { processes: { [agent.path]: running } }, isMet: false },
  {
    name: 'all of no processes',
    demand: { typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes: [] },
    posture: {},
    isMet: false,
  },
]

describe('posture', () => {
  for (const { name, demand, posture, isMet } of cases) {
    test(`${demand.typeId}: ${name} ${isMet ? 'is enough' : 'is not enough'}`, () => {
      const { processes = {}, ...rest } = posture
      const reported = { ...silent, ...rest, process: (path: string) => processes[path] }
      assert.equal(meetsDemand(demand, reported, 0), isMet)
    })
  }

  test('that was not reported meets nothing', () => {
    const mfa: PostureDemand = { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: false, promptOnUnlock: false }
    for (const demand of [linux, domain, mac, one, all, any, mfa]) {
      assert.equal(meetsDemand(demand, silent, 0), false, demand.typeId)
    }
  })
})
