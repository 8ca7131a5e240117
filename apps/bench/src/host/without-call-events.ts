import { registerHooks } from 'node:module';

/** Makes the host of this process emit no events of calls and of ends of turns. Loaded before the host, by `--import`. */
const source = `
export const isLaterEvent = () => false;
export const turnEnded = () => undefined;
export const callAnswered = () => undefined;
export const callFailed = () => undefined;
const none = [];
export class CallEvents {
  take() {
    return none;
  }
}
`;

registerHooks({
  load: (url, context, nextLoad) =>
    url.endsWith('/host/dist/instance/call-events.js')
      ? { format: 'module', source, shortCircuit: true }
      : nextLoad(url, context),
});
