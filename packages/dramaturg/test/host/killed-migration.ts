import { type Store, type StoreLocation } from '@dramaturg/host';
import { compile, createHost, lowdbStore, sqliteStore, understudyPorts } from 'dramaturg';

/**
 * Migrates the instances of a store, and kills itself at one of its writes: `before` or `after` the write. Arguments: the kind of the
 * store, its path, the number of the write from 1, when, the definition.
 */
const [, , kind, path, at, when, definition] = process.argv;
let writes = 0;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** A store whose writes are counted. */
function counting(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      if (name !== 'commit' && name !== 'create') return member.bind(target) as unknown;
      return async (...args: unknown[]) => {
        writes += 1;
        const isTheOne = writes === Number(at);
        if (isTheOne && when === 'before') die();
        const result = (await Reflect.apply(member, target, args)) as unknown;
        if (isTheOne && when === 'after') die();
        return result;
      };
    },
  });
}

const place = kind === 'lowdb' ? lowdbStore(path!) : sqliteStore(path!);
const location: StoreLocation = {
  open: async (owner) => counting(await place.open(owner)),
  read: () => place.read(),
};
const host = await createHost({
  store: location,
  definitions: { intake: compile(definition!, { format: 'plan' }) },
  ports: understudyPorts(),
  channels: { main: { deliver: () => {} } },
});
for (const { id } of (await host.list({ ended: false }, { limit: 100 })).items) {
  const answer = await host.migrate(id, { map: { states: { done: 'farewell' } } });
  if (!answer.accepted) throw new Error(JSON.stringify(answer));
}
await host.stop();
