import type { dataEvent, InitOf } from '@weft/wire/messages'

/** One event of the data model, as it is written. */
export type DataEventInit = InitOf<typeof dataEvent>
