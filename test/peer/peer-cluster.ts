/** Stock controllers that make a cluster: from a PKI of the stock tool, each as a process of its own. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Child } from '../kit/child-process.ts'
import { admin } from '../kit/controller-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { findPeer } from '../runner/find-peer.ts'
import { PeerCli } from './peer-cli.ts'
import { stockConfiguration } from './stock-configuration.ts'

const PATIENCE = 60_000

export class ClusterMember implements AsyncDisposable {
  readonly id: string
  readonly url: string
  readonly controlAddress: string
  /** The certificates by which it is trusted, PEM. */
  readonly ca: string
  readonly agent: string
  readonly #file: string
  #child: Child | undefined

  constructor(facts: Pick<ClusterMember, 'id' | 'url' | 'controlAddress' | 'ca' | 'agent'>, file: string) {
    this.id = facts.id
    this.url = facts.url
    this.controlAddress = facts.controlAddress
    this.ca = facts.ca
    this.agent = facts.agent
    this.#file = file
  }

  run(): void {
    this.#child = new Child(findPeer(process.env)!, ['controller', 'run', this.#file, '--cli-agent-addr', this.agent])
  }

  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

/** Starts a cluster in a folder; the first member leads, and its administrator can log in. */
export async function startCluster(folder: string, ids: readonly string[], stack: AsyncDisposableStack) {
  const cli = new PeerCli(folder)
  const root = join(folder, 'pki')
  const create = (...args: readonly string[]) => cli.says('pki', 'create', ...args, '--pki-root', root)
  await create('ca', '--ca-file', 'root', '--ca-name', 'root', '--trust-domain', 'cluster.example', '--curve', 'P256')
  const caFile = join(root, 'root', 'certs', 'root.cert')
  const members: ClusterMember[] = []
  for (const id of ids) {
    const identity = ['--ca-name', `mid-${id}`, '--spiffe-id', `controller/${id}`]
    await create('intermediate', '--ca-name', 'root', '--intermediate-file', `mid-${id}`, '--max-path-len', '1')
    await create('server', ...identity, '--server-file', 'server', '--server-name', id, '--ip', '127.0.0.1')
    await create('client', ...identity, '--client-file', 'client', '--client-name', id, '--key-file', 'server')
    const of = (kind: 'certs' | 'keys', name: string) => join(root, `mid-${id}`, kind, name)
    const [address, controlAddress] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    const dataDir = join(folder, `data-${id}`)
    await mkdir(dataDir)
    const file = join(folder, `${id}.json`)
    const signingCert = { cert: of('certs', `mid-${id}.cert`), key: of('keys', `mid-${id}.key`) }
    // JSON is YAML too.
    const configuration = {
      ...stockConfiguration({ address, controlAddress, signingCert }),
      cluster: { dataDir },
      identity: {
        cert: of('certs', 'client.chain.pem'),
        server_cert: of('certs', 'server.chain.pem'),
        key: of('keys', 'server.key'),
        ca: caFile,
      },
    }
    await writeFile(file, JSON.stringify(configuration))
    const agent = `unix:${join(folder, `${id}.sock`)}`
    const ca = await readFile(caFile, 'utf8')
    const member = stack.use(new ClusterMember({ id, url: `https://${address}`, controlAddress, ca, agent }, file))
    members.push(member)
    member.run()
  }
  const [first, ...others] = members
  assert.ok(first)
  const { username, password } = admin
  const succeeds =
    (...args: readonly string[]) =>
    async () =>
      (await cli.run('agent', 'cluster', ...args, '--app-addr', first.agent)).status === 0
  await until('the cluster is made', succeeds('init', username, password, 'Admin'), { within: PATIENCE, every: 500 })
  for (const { controlAddress, id } of others) {
    await until(`${id} is a member`, succeeds('add', `tls:${controlAddress}`), { within: PATIENCE, every: 500 })
  }
  const login = ['edge', 'login', first.url, '-u', username, '-p', password, '--ca', caFile]
  await until('its administrator can log in', async () => (await cli.run(...login)).status === 0, {
    within: PATIENCE,
    every: 500,
  })
  return { cli, members }
}
