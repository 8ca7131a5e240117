import type { Routed } from '@dramaturg/host';
import type { Started } from '@dramaturg/host/engine';
import { object, type ObjectContext, serde, type Serde } from '@restatedev/restate-sdk';
import type { ServiceNames } from '../names.ts';
import { type Outcome, outcomeOf, valueOf } from '../restate/outcome.ts';
import { ContactWork, type LineInstances } from './contact-work.ts';
import { ContactLine, type StoredLine } from './line.ts';
import type { LinePosition, LineStart, RouteOrder } from './messages.ts';

const lineKey = 'line';

/**
 * The object of a contact: the line of its instances. Key: the contact in its canonical form. Restate runs one handler of an
 * object at a time, in the order in which they were called.
 */
export function contactObject(names: ServiceNames) {
  return object({
    name: names.contact,
    handlers: {
      start: (context: ObjectContext, start: LineStart): Promise<Outcome<Started>> =>
        withLine(names, context, (work) => work.start(start)),
      route: (context: ObjectContext, order: RouteOrder): Promise<Outcome<readonly Routed[]>> =>
        withLine(names, context, (work) => work.route(order)),
      /** An instance has moved in the line, or left it. */
      moved: (context: ObjectContext, position: LinePosition): Promise<Outcome<void>> =>
        withLine(names, context, (work) => work.moved(position, position.updatedAt)),
    },
    options: { journalRetention: 0 },
  });
}

async function withLine<Value>(
  names: ServiceNames,
  context: ObjectContext,
  work: (work: ContactWork) => Promise<Value>,
): Promise<Outcome<Value>> {
  const line = new ContactLine((await context.get<StoredLine>(lineKey)) ?? undefined);
  const outcome = await outcomeOf(() => work(new ContactWork(line, instancesOf(names, context))));
  context.set(lineKey, line.stored);
  return outcome;
}

function instancesOf({ instance: service }: ServiceNames, context: ObjectContext): LineInstances {
  const call = async <Value>(key: string, method: string, parameter: unknown): Promise<Value> =>
    valueOf(
      await context.genericCall<unknown, Outcome<Value>>({
        service,
        method,
        key,
        parameter,
        inputSerde: serde.json as Serde<unknown>,
        outputSerde: serde.json as never,
      }),
    );
  return {
    create: ({ birth, definition, at }, createdAt) =>
      call(birth.id, 'create', { at, createdAt, definition, birth }),
    takeAll: (id, order) => call(id, 'takeAll', order),
    position: async (id) => (await call<LinePosition | null>(id, 'position', null)) ?? undefined,
  };
}
