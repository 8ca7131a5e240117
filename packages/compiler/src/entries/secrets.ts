/** Keeps secrets out of messages, logs and stores. */
export { protectHeaders, protectSecret, protectSecretsIn } from '../secrets/known-secrets.ts';
export { isSecretField, isSecretVariable } from '../secrets/secret-names.ts';
export { withoutSecrets } from '../secrets/without-secrets.ts';
export { errorWithoutSecrets } from '../secrets/error-without-secrets.ts';
