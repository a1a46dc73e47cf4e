/**
 * Host names as the configuration compares them: lower case, in their ASCII form, without a final dot.
 */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { custom, type Kind, Unexpected } from '@weft/model/config-file'

/** One host name, without port and without pattern. */
export function hostName(): Kind<string> {
  return custom('a host name', (written) => (written.includes('*') ? new Unexpected('a pattern') : normalized(written)))
}

/** A host name, or `*.` and a host name for everything below it. An IP address is neither. */
export function hostNamePattern(): Kind<string> {
  return custom("a host name, or '*.' and a host name", (written) => {
    const isPattern = written.startsWith('*.')
    const host = isPattern ? written.slice(2) : written
    if (isIP(host.replace(/^\[|\]$/gu, '')) !== 0) return new Unexpected('an IP address')
    const name = normalized(host)
    return name === undefined || !isPattern ? name : `*.${name}`
  })
}

/** The name of a trust domain, with or without `spiffe://` before it and a path behind it; empty for none. */
export function trustDomain(): Kind<string> {
  const parse = (written: string) => {
    const name = written.replace(/^spiffe:\/\//u, '').replace(/\/.*$/su, '')
    return /^[A-Za-z0-9._-]{1,255}$/u.test(name) ? name : undefined
  }
  return custom('the name of a trust domain such as example.com', parse, { blank: 'absent' })
}

function normalized(written: string): string | undefined {
  if (!/^[^\s*/:@?#[\]\\]{1,255}$/u.test(written)) return undefined
  const ascii = domainToASCII(written.replace(/\.$/u, ''))
  return ascii === '' ? undefined : ascii
}
