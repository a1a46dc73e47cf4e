/**
 * How many answers per second the load generator itself can take, for answers of some length: a number near it says more
 * about the generator than about the server.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { drive } from './drive.ts'

export interface Ceiling {
  readonly bytes: number
  readonly perSecond: number
}

export async function measureCeiling(
  lengths: readonly number[],
  options: { readonly connections: number; readonly milliseconds: number },
): Promise<readonly Ceiling[]> {
  const clock = { now: () => Date.now() }
  const root = await CertificateAuthority.createRoot(
    { subject: { commonName: 'bench' }, trustDomain: 'bench' },
    { clock },
  )
  const privateKey = await generatePrivateKey('P-256')
  const subject = { commonName: 'localhost' }
  const hosts = ['127.0.0.1']
  const { chainPem } = root.issueServerCertificate({ subject, publicKey: publicKeyOf(privateKey), hosts })
  const key = encodePrivateKey(privateKey)
  const ceilings: Ceiling[] = []
  for (const bytes of lengths) {
    const server = fork(new URL('./fixed-answers.ts', import.meta.url))
    try {
      server.send({ cert: chainPem, key, length: bytes })
      const [port] = (await once(server, 'message')) as [number]
      const request = Buffer.from('GET /edge/management/v1/identities/0123456789 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
      const { latencies, seconds } = await drive({ host: '127.0.0.1', port }, { next: () => request }, options, (run) =>
        run(),
      )
      ceilings.push({ bytes, perSecond: latencies.length / seconds })
    } finally {
      server.disconnect()
    }
  }
  return ceilings
}
