import type { StorybookConfig } from '@storybook/react-vite';

const config: StorybookConfig = {
  stories: ['../src/docs/*.mdx', '../src/stories/*.stories.tsx'],
  addons: ['@storybook/addon-docs', '@storybook/addon-a11y', '@storybook/addon-vitest'],
  framework: '@storybook/react-vite',
  // Storybook sends nothing to its servers.
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  // It reads the computed style of every element, which takes half a minute for thousands of elements.
  // Its own onboarding is about Storybook.
  features: { highlight: false, sidebarOnboardingChecklist: false },
  typescript: { reactDocgen: 'react-docgen' },
  // Relative addresses work in any folder. A page that was opened from a file cannot preload modules.
  // The licences of everything that is bundled ship with it.
  viteFinal: (vite) => ({
    ...vite,
    base: './',
    build: {
      ...vite.build,
      modulePreload: false,
      license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    },
  }),
};

export default config;
