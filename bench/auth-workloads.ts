/**
 * The ways in, as rounds of requests. Connections are open already: what is measured is the controller, not the handshake.
 */
import type { Contender } from './contender.ts'
import { CLIENT_API, CLIENT_ID, type Crowd, enrollPath, FORM, invite, PEM, refreshTokenOf } from './crowd.ts'
import { joined, measure, nothing, type Plan, type Round } from './rounds.ts'

export interface AuthWorkload {
  readonly kind: string
  readonly name: string
  readonly measure: (crowd: Crowd, plan: Plan, round: number) => Promise<Round>
}

const byCertificate: AuthWorkload = {
  kind: 'login',
  name: 'by certificate',
  measure({ contender, certificates }, { connections, length }) {
    const request = Buffer.from(contender.anonymousRequest('POST', `${CLIENT_API}/authenticate?method=cert`, '{}'))
    const options = { connections, milliseconds: length, identities: certificates }
    return measure(contender, { next: () => request }, options)
  },
}

const refresh: AuthWorkload = {
  kind: 'token',
  name: 'refresh',
  async measure({ contender, refreshTokens }, { connections, length }) {
    const source = {
      next: () => {
        const refresh_token = refreshTokens.shift()
        if (refresh_token === undefined) throw new Error(`${contender.name}: no refresh token is left`)
        const grant = new URLSearchParams({ grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token })
        return contender.anonymousRequest('POST', '/oidc/oauth/token', `${grant}`, FORM)
      },
      answered: (body: string) => {
        refreshTokens.push(refreshTokenOf(body))
      },
    }
    return await measure(contender, source, { connections, milliseconds: length })
  },
}

const enroll: AuthWorkload = {
  kind: 'enrollment',
  name: 'ott',
  async measure({ contender, csr }, { connections, length, batch }, round) {
    let whole = nothing
    const end = performance.now() + 2 * length
    for (let turn = 0; turn === 0 || performance.now() < end; turn++) {
      const tokens = [...(await invite(contender, `newcomer-${label()}-${round}-${turn}`, batch))]
      const source = { next: () => enrollment(contender, tokens.pop(), csr) }
      whole = joined(whole, await measure(contender, source, { connections }))
    }
    return whole
  },
}

const byPassword: AuthWorkload = {
  kind: 'login',
  name: 'by password',
  measure({ contender, credentials }, { connections, length }) {
    const path = `${CLIENT_API}/authenticate?method=password`
    const request = Buffer.from(contender.anonymousRequest('POST', path, JSON.stringify(credentials)))
    return measure(contender, { next: () => request }, { connections, milliseconds: length })
  },
}

/** What is held against another controller. */
export const authWorkloads: readonly AuthWorkload[] = [byCertificate, refresh, enroll]

/** What is reported apart: it measures how strong a hash is, more than anything else. */
export const passwordWorkload = byPassword

function enrollment(contender: Contender, token: string | undefined, csr: string): string | undefined {
  return token === undefined ? undefined : contender.anonymousRequest('POST', enrollPath(token), csr, PEM)
}

/** A controller that is measured again still knows the names of the last time. */
function label(): string {
  return Math.floor(performance.timeOrigin + performance.now()).toString(36)
}
