/** Keeps secrets out of messages, logs and stores. */
export { protectHeaders, protectSecret, protectSecretsIn } from '../secrets/secrets.ts';
export { isSecretField, isSecretVariable } from '../secrets/secrets.ts';
export { withoutSecrets } from '../secrets/secrets.ts';
export { errorWithoutSecrets } from '../secrets/error-without-secrets.ts';
