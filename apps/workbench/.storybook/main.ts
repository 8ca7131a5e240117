import type { StorybookConfig } from '@storybook/react-vite';

const config: StorybookConfig = {
  stories: ['../src/docs/*.mdx', '../src/stories/*.stories.tsx'],
  addons: ['@storybook/addon-docs', '@storybook/addon-a11y', '@storybook/addon-vitest'],
  framework: '@storybook/react-vite',
  // Nothing leaves the machine.
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  // It asks for the computed style of every element, which takes half a minute where there are thousands.
  features: { highlight: false },
  typescript: { reactDocgen: 'react-docgen' },
  // Works in any folder. A page that was opened from a file cannot ask for modules ahead of time.
  viteFinal: (vite) => ({ ...vite, base: './', build: { ...vite.build, modulePreload: false } }),
};

export default config;
