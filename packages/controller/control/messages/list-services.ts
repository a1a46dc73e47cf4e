/**
 * A 1.x router that is a tunneler asks for the services of its identity. It says which list it has by the time of that list,
 * which means nothing to it: the time is made of what the list says, and another list has another time.
 */
import { createHash } from 'node:crypto'
import { controlMessages } from '@weft/wire/messages'
import { EdgeRefusal } from '../edge/edge-refusal.ts'
import { tunnelServices } from '../edge/tunnel-services.ts'
import { defineHandler } from '../handler.ts'

/** More than any time; whoever sends more speaks another language. */
const LONGEST_TIME = 50

export const listServices = defineHandler(
  'listServices',
  async ({ message: { body: known }, from }, { kit, tunnelerSessions, log }) => {
    if (known.length > LONGEST_TIME) return from.close('a time of more than fifty bytes')
    try {
      const apiSession = await tunnelerSessions.apiSession(from)
      const services = [...tunnelServices(kit.view, apiSession)]
      const lastUpdate = timeOf(controlMessages.encode('serviceList', { body: { services } }).body)
      if (!lastUpdate.equals(known)) await from.send('serviceList', { body: { lastUpdate, services } })
    } catch (error) {
      if (!(error instanceof EdgeRefusal)) throw error
      log.debug('services not listed', { router: from.routerId, err: error })
    }
  },
)

/** Seconds since the year 1 up to the year 2000. */
const CENTURIES_SECONDS = 63_082_281_600n
const SPAN_SECONDS = 2n ** 31n
const NANOSECONDS = 1_000_000_000
const UTC = -1

/** A time as Go writes it: a version, seconds, nanoseconds and the minutes of its zone. */
function timeOf(list: Buffer): Buffer {
  const digest = createHash('sha256').update(list).digest()
  const time = Buffer.alloc(15)
  time.writeUInt8(1, 0)
  time.writeBigInt64BE(CENTURIES_SECONDS + (digest.readBigUInt64BE(0) % SPAN_SECONDS), 1)
  time.writeInt32BE(digest.readUInt32BE(8) % NANOSECONDS, 9)
  time.writeInt16BE(UTC, 13)
  return time
}
