/**
 * What is known of one identity's endpoint: the newest report of each kind, processes by their path, and per API session
 * when it woke or was unlocked.
 */
import { type EndpointPosture, hexDigits, type MfaState, withEndpointEvents } from '@weft/model'
import { timestamp } from '../clock.ts'
import type { PostureData } from '../resources/posture-reports.ts'
import type { AddressReport, DomainReport, PostureReport, ProcessReport, SystemReport } from './posture-report.ts'

/** Of one identity; the oldest makes room for a new one. */
const MOST_PROCESSES = 256
const MOST_SESSIONS = 256

/** A report and when it came. */
type Dated<T> = T & { readonly at: number }

type Data = Omit<PostureData, 'apiSessionPostureData'>

export class ReportedPosture {
  #system: Dated<SystemReport> | undefined
  #domain: Dated<DomainReport> | undefined
  #addresses: Dated<AddressReport> | undefined
  readonly #processes = new Map<string, Dated<ProcessReport>>()
  readonly #events = new Map<string, MfaState>()

  /** `passedAt`: when the session showed its second factor. */
  accept(report: PostureReport, sessionId: string, passedAt: number | undefined, at: number): void {
    switch (report.typeId) {
      case 'OS':
        this.#system = { ...report, at }
        break
      case 'DOMAIN':
        this.#domain = { ...report, at }
        break
      case 'MAC':
        this.#addresses = { ...report, macAddresses: report.macAddresses.map(hexDigits), at }
        break
      case 'PROCESS':
        putNewest(this.#processes, report.path, { ...lowerCased(report), at }, MOST_PROCESSES)
        break
      case 'ENDPOINT_STATE': {
        const known = { ...this.#events.get(sessionId), passedAt }
        putNewest(this.#events, sessionId, withEndpointEvents(known, report, at), MOST_SESSIONS)
      }
    }
  }

  /** As a session of the identity presents itself. */
  endpoint(sessionId: string | undefined, passedAt: number | undefined): EndpointPosture {
    return {
      system: this.#system,
      domain: this.#domain?.domain,
      macAddresses: this.#addresses?.macAddresses,
      process: (path) => {
        const process = this.#processes.get(path)
        return process && { ...process, signerFingerprints: process.signerFingerprints ?? [] }
      },
      mfa: { ...this.eventsOf(sessionId), passedAt },
    }
  }

  /** When a session's endpoint woke and was unlocked. */
  eventsOf(sessionId: string | undefined): MfaState {
    return (sessionId !== undefined && this.#events.get(sessionId)) || {}
  }

  /** The sessions whose endpoint woke or was unlocked. */
  sessions(): Iterable<string> {
    return this.#events.keys()
  }

  forgetSession(sessionId: string): void {
    this.#events.delete(sessionId)
  }

  /** In the form in which administrators see it. */
  data(): Data {
    const system = this.#system
    const domain = this.#domain
    const addresses = this.#addresses
    return {
      os: {
        ...told(system),
        type: system?.type ?? null,
        version: system?.version ?? null,
        // Held, but the peers never show it.
        build: null,
      },
      domain: { ...told(domain), domain: domain?.domain ?? null },
      mac: { ...told(addresses), addresses: addresses?.macAddresses ?? null },
      processes: [...this.#processes.values()].map((process) => ({
        ...told(process),
        ...(process.isRunning && { isRunning: true }),
        ...(process.hash && { binaryHash: process.hash }),
        signerFingerprints: process.signerFingerprints,
      })),
    }
  }

  /** Roughly how many characters it holds. */
  get weight(): number {
    let weight = 100 * (1 + this.#events.size)
    for (const report of [this.#system, this.#domain, this.#addresses, ...this.#processes.values()]) {
      if (report !== undefined) weight += JSON.stringify(report).length
    }
    return weight
  }
}

/** Hashes and fingerprints are hexadecimal digits, and shown in one form. */
function lowerCased(report: ProcessReport): ProcessReport {
  const signers = report.signerFingerprints?.map((signer) => signer.toLowerCase())
  return { ...report, hash: report.hash.toLowerCase(), signerFingerprints: signers ?? null }
}

function told(report: Dated<PostureReport> | undefined) {
  return {
    postureCheckId: report?.id ?? '',
    timedOut: false,
    lastUpdatedAt: report === undefined ? null : timestamp(report.at),
  }
}

function putNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  if (!map.has(key) && map.size >= most) map.delete(map.keys().next().value!)
  map.set(key, value)
}
