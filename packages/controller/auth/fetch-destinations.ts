/**
 * Where the controller may go to fetch something that a URL in the database names.
 *
 * A host is judged by name before it is looked up, and by address when it is dialled, which is when its name can no longer
 * be pointed elsewhere. The built-in prohibitions have no exceptions.
 */
import { BlockList, isIP } from 'node:net'
import { hostAddress, isForbiddenAddress } from './forbidden-addresses.ts'

/** The operator's own lists: addresses or CIDR blocks, names or `*.` and a name. */
export interface DestinationRules {
  readonly blockPrivateAddresses: boolean
  readonly deniedIPs: readonly string[]
  /** Exceptions from `blockPrivateAddresses`. */
  readonly allowedIPs: readonly string[]
  readonly deniedHostnames: readonly string[]
  /** When not empty, the only names. */
  readonly allowedHostnames: readonly string[]
}

const privateBlocks = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
/** Where a NAT64 gateway puts them. */
const translatedBlocks = privateBlocks.map((block) => {
  const [address, bits] = block.split('/')
  return `64:ff9b::${address}/${96 + Number(bits)}`
})
const privateAddresses = blockList([...privateBlocks, ...translatedBlocks, '::1', 'fc00::/7'])

export class FetchDestinations {
  readonly #rules: DestinationRules
  readonly #denied: BlockList
  readonly #excepted: BlockList

  constructor(rules: DestinationRules) {
    this.#rules = rules
    this.#denied = blockList(rules.deniedIPs)
    this.#excepted = blockList(rules.allowedIPs)
  }

  /** Why a URL is not asked, or undefined if it may be; a name can still turn out to have an address that may not. */
  refusalOfUrl(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https are supported'
    const host = hostAddress(url)
    const { deniedHostnames, allowedHostnames } = this.#rules
    if (isIP(host) !== 0) {
      const isNamed = allowedHostnames.length === 0 || isIn(this.#excepted, host)
      return this.refusalOfAddress(host) ?? (isNamed ? undefined : `address ${host} is not among the hosts allowed`)
    }
    const name = host.replace(/\.$/u, '')
    if (deniedHostnames.some((pattern) => isMatch(name, pattern))) return `host ${name} is denied`
    if (allowedHostnames.length > 0 && !allowedHostnames.some((pattern) => isMatch(name, pattern))) {
      return `host ${name} is not among those allowed`
    }
    return undefined
  }

  /** Why an IP address is not dialled, or undefined if it may be. */
  refusalOfAddress(scoped: string): string | undefined {
    const [address = ''] = scoped.split('%')
    if (isForbiddenAddress(address)) return `address ${address} is a metadata, link-local or unspecified address`
    if (isIn(this.#denied, address)) return `address ${address} is denied`
    if (!this.#rules.blockPrivateAddresses || !isIn(privateAddresses, address)) return undefined
    return isIn(this.#excepted, address) ? undefined : `address ${address} is private`
  }
}

function isMatch(name: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
