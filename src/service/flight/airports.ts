import type {Airport} from '../../core/domain/plugins/flight.ts';

/** Airports that a simulated flight can connect, by their codes. */
export const AIRPORTS: ReadonlyMap<string, Airport> = new Map(
  (
    [
      ['CYYZ', 'Toronto Pearson', 43.677, -79.631, 569],
      ['EBBR', 'Brussels', 50.901, 4.484, 184],
      ['EDDB', 'Berlin Brandenburg', 52.362, 13.501, 157],
      ['EDDF', 'Frankfurt', 50.033, 8.571, 364],
      ['EDDM', 'Munich', 48.354, 11.786, 1487],
      ['EGLL', 'London Heathrow', 51.471, -0.462, 83],
      ['EHAM', 'Amsterdam Schiphol', 52.308, 4.764, -11],
      ['EIDW', 'Dublin', 53.421, -6.27, 242],
      ['EKCH', 'Copenhagen', 55.618, 12.656, 17],
      ['ENGM', 'Oslo Gardermoen', 60.194, 11.1, 681],
      ['FACT', 'Cape Town', -33.965, 18.602, 151],
      ['GCLP', 'Gran Canaria', 27.932, -15.387, 78],
      ['HECA', 'Cairo', 30.122, 31.406, 382],
      ['KJFK', 'New York John F. Kennedy', 40.64, -73.779, 13],
      ['KLAX', 'Los Angeles', 33.943, -118.408, 128],
      ['KORD', 'Chicago O’Hare', 41.979, -87.905, 680],
      ['LEBL', 'Barcelona', 41.297, 2.078, 12],
      ['LEMD', 'Madrid Barajas', 40.472, -3.561, 1998],
      ['LFPG', 'Paris Charles de Gaulle', 49.013, 2.55, 392],
      ['LGAV', 'Athens', 37.936, 23.944, 308],
      ['LIRF', 'Rome Fiumicino', 41.8, 12.239, 13],
      ['LOWW', 'Vienna', 48.11, 16.57, 600],
      ['LPMA', 'Madeira', 32.698, -16.774, 192],
      ['LPPT', 'Lisbon', 38.774, -9.134, 374],
      ['LSZH', 'Zurich', 47.465, 8.549, 1416],
      ['LTFM', 'Istanbul', 41.262, 28.742, 325],
      ['NZAA', 'Auckland', -37.008, 174.792, 23],
      ['OMDB', 'Dubai', 25.253, 55.364, 62],
      ['RJTT', 'Tokyo Haneda', 35.552, 139.78, 35],
      ['SBGR', 'São Paulo Guarulhos', -23.432, -46.47, 2461],
      ['VHHH', 'Hong Kong', 22.309, 113.915, 28],
      ['WSSS', 'Singapore Changi', 1.35, 103.994, 22],
      ['YSSY', 'Sydney', -33.946, 151.177, 21],
    ] as const
  ).map(([code, name, latitude, longitude, elevationFeet]) => [code, {code, name, latitude, longitude, elevationFeet}]),
);
