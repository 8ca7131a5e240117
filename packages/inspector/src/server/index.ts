export {
  type DefinitionText,
  type Exhibit,
  liveExhibit,
  type LiveOptions,
  type Run,
  type RunMessage,
  type SendOrder,
} from './exhibit.ts';
export { openInBrowser } from './open.ts';
export { type InspectorServer, type InspectorServerOptions, serveInspector } from './server.ts';
