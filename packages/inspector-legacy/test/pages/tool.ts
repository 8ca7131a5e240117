import { createWindowReceiver } from '@xstate/inspect';

/** A tool that shows XState 4: it writes down what the package's own receiver has parsed. */
const heard: unknown[] = [];
const receiver = createWindowReceiver({ window, targetWindow: window.parent });
receiver.subscribe((event) => {
  const { type } = event;
  if (event.type === 'service.register')
    heard.push({ type, id: event.id, states: Object.keys(event.machine.states) });
  else if (event.type === 'service.state') heard.push({ type, value: event.state.value });
  else if (event.type === 'service.event') heard.push({ type, name: event.event.name });
});
Object.assign(globalThis, { heard, receiver });
