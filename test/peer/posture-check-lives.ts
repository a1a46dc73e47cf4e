/** The posture checks of every kind, as the stock CLI makes and changes them. */
import type { Life } from './entity-lives.ts'

const hashes = ['a'.repeat(128), 'b'.repeat(128)] as const
const signer = '1'.repeat(40)
const postureCheck = { collection: 'posture-checks', removed: 'posture-check' } as const

export const postureCheckLives: readonly Life[] = [
  {
    ...postureCheck,
    words: ['posture-check', 'mac'],
    create: ['-m', '01:23:45:67:89:ab,0123456789ac', '-a', 'pc'],
    created: { typeId: 'MAC', macAddresses: ['0123456789ab', '0123456789ac'], roleAttributes: ['pc'] },
    row: { TYPE: 'MAC', ATTRIBUTES: 'pc' },
    update: ['-m', '01:23:45:67:89:ff', '-a', 'pc,pd'],
    updated: { macAddresses: ['0123456789ff'], roleAttributes: ['pc', 'pd'] },
  },
  {
    ...postureCheck,
    words: ['posture-check', 'os'],
    create: ['-o', 'windows:>=10.0.0:>=11.0.0,linux:5.0.0', '-a', 'pc'],
    created: {
      typeId: 'OS',
      operatingSystems: [
        { type: 'Linux', versions: ['5.0.0'] },
        { type: 'Windows', versions: ['>=10.0.0', '>=11.0.0'] },
      ],
    },
    row: { TYPE: 'OS', ATTRIBUTES: 'pc' },
    update: ['-o', 'macOS:12.0.0', '-a', ''],
    updated: { operatingSystems: [{ type: 'macOS', versions: ['12.0.0'] }], roleAttributes: [] },
  },
  {
    ...postureCheck,
    words: ['posture-check', 'process'],
    announced: 'posture check',
    create: ['Linux', '/bin/x', '-s', hashes.join(), '-f', signer, '-a', 'pc'],
    created: {
      typeId: 'PROCESS',
      process: { osType: 'Linux', path: '/bin/x', hashes, signerFingerprint: signer },
    },
    row: { TYPE: 'PROCESS', ATTRIBUTES: 'pc' },
    update: ['-o', 'Windows', '-p', 'C:\\y', '-s', hashes[1], '-f', signer],
    updated: { process: { osType: 'Windows', path: 'C:\\y', hashes: [hashes[1]] } },
  },
  {
    ...postureCheck,
    words: ['posture-check', 'process-multi'],
    isWithoutJson: true,
    create: [
      ...['AnyOf', 'Linux,Windows', '/bin/x,C:\\x.exe', '-s', `${hashes.join('|')},${hashes[0]}`],
      ...['-f', `${signer},${signer}`, '-a', 'pc'],
    ],
    created: {
      typeId: 'PROCESS_MULTI',
      semantic: 'AnyOf',
      processes: [
        { osType: 'Linux', path: '/bin/x', hashes, signerFingerprints: [signer] },
        { osType: 'Windows', path: 'C:\\x.exe', hashes: [hashes[0]], signerFingerprints: [signer] },
      ],
    },
    row: { TYPE: 'PROCESS_MULTI', ATTRIBUTES: 'pc' },
  },
  {
    ...postureCheck,
    words: ['posture-check', 'domain'],
    create: ['-d', 'a.example,b.example', '-a', 'pc', '-t', 'a=b'],
    created: { typeId: 'DOMAIN', domains: ['a.example', 'b.example'], tags: { a: 'b' } },
    row: { TYPE: 'DOMAIN', ATTRIBUTES: 'pc' },
    update: ['-d', 'c.example', '-a', 'pd'],
    updated: { domains: ['c.example'], roleAttributes: ['pd'] },
  },
  {
    ...postureCheck,
    words: ['posture-check', 'mfa'],
    create: ['-s', '60', '-w', '-u', '--ignore-legacy', '-a', 'pc'],
    created: {
      typeId: 'MFA',
      timeoutSeconds: 60,
      promptOnWake: true,
      promptOnUnlock: true,
      ignoreLegacyEndpoints: true,
    },
    row: { TYPE: 'MFA', ATTRIBUTES: 'pc' },
    update: ['-s', '30', '-z', '-q', '-l'],
    updated: { timeoutSeconds: 30 },
    gone: ['promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
  },
]
