/** What reads JSON Schemas. For browsers it is bundled with its own part of zod: otherwise every page would load that part with the rest of zod. */
export { fromJSONSchema, prettifyError } from 'zod';
