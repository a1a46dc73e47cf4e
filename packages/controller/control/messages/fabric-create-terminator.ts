/** A router hosts a service of the fabric by itself, in nobody's name. */
import { newId } from '../../resource-kit/ids.ts'
import { fabricService } from '../edge/fabric-service.ts'
import { checkTerminator, putTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const fabricCreateTerminator = defineHandler(
  'fabricCreateTerminator',
  ({ message: { body }, frame, from }, { kit, controllerId: sourceCtrl }) =>
    answerWithResult(from, frame, async () => {
      const { serviceId: wantedService, address, binding, ...wanted } = body
      checkTerminator({ id: address, cost: wanted.cost })
      const id = newId('uuid')
      const { routerId } = from
      await writeFromRouter({ kit, from, method: 'fabric.create.terminator' }, (change) => {
        const { id: serviceId } = fabricService(change.view, wantedService)
        putTerminator(change, { ...wanted, id, address, binding, serviceId, routerId, hostId: '', sourceCtrl })
      })
      return id
    }),
)
