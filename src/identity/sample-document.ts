import type {IdentityDocument} from '../domain/identity.ts';

/**
 * A pilot, an airline and a plugin that do not exist. Names under `example` are reserved (RFC 2606), so
 * nothing here leads anywhere.
 */
export const SAMPLE_DOCUMENT: IdentityDocument = {
  vendor_design_user: {
    id: 1001,
    hasPremium: false,
    token: 'sample-token',
    firstName: 'Ada',
    lastNameInitial: 'Q',
    authority: 0,
    developer: true,
    tester: false,
    showHost: false,
  },
  va_user: {
    dbID: 42,
    pilotID: 'CRW0042',
    firstName: 'Ada',
    lastName: 'Quill',
    email: 'ada.quill@example.com',
    rank: 'Captain',
    rankImage: null,
    rankLevel: 4,
    avatar: null,
    session: 'sample-session',
  },
  airline: {
    id: 7,
    isPartner: false,
    settings: {
      airlineName: 'Crewroom Air',
      airlineICAO: 'CRW',
      accentBackgroundColor: '#1B3A5C',
      accentForegroundColor: '#FFFFFF',
      welcomeMessage: 'Welcome to the crew room',
      maintenanceMode: false,
      maintenanceModeMessage: null,
      logo: null,
      logoDark: null,
      icon: null,
      scriptURL: 'https://air.example/back-end/',
      vaURL: 'https://air.example/',
      ico: null,
    },
    plugins: [
      {
        id: 'com.example.hello',
        name: 'Hello',
        verified: true,
        downloads: 128,
        rating: 4.5,
        totalReviews: 12,
        author: 'Example Plugins',
        description: 'Greets the pilot by name',
        lastUpdated: '2026-01-15T12:00:00Z',
        version: '1.2.0',
        type: 'user',
        availableSettings: {greeting: {name: 'Greeting', type: 'string', default: 'Hello'}},
        appliedSettings: {greeting: 'Good morning'},
      },
    ],
  },
};
