/** A place on the earth, in degrees. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Mean radius of the earth (IUGG), 6371.0088 km, in nautical miles. */
const EARTH_RADIUS_NAUTICAL_MILES = 6371.0088 / 1.852;

/** Returns the distance along the great circle, in nautical miles, by the haversine formula. */
export function distanceBetween(from: Coordinates, to: Coordinates): number {
  return angleBetween(from, to) * EARTH_RADIUS_NAUTICAL_MILES;
}

/** Returns the place at a fraction of the way along the great circle, 0 to 1. */
export function placeBetween(from: Coordinates, to: Coordinates, fraction: number): Coordinates {
  return placeAt(from, courseBetween(from, to), distanceBetween(from, to) * fraction);
}

/** Returns the place at a distance along the great circle of an initial true course, in nautical miles and degrees. */
export function placeAt(from: Coordinates, courseDegrees: number, miles: number): Coordinates {
  const [latitude, course, angle] = [
    radians(from.latitude),
    radians(courseDegrees),
    miles / EARTH_RADIUS_NAUTICAL_MILES,
  ];
  const toLatitude = Math.asin(
    Math.sin(latitude) * Math.cos(angle) + Math.cos(latitude) * Math.sin(angle) * Math.cos(course),
  );
  const y = Math.sin(course) * Math.sin(angle) * Math.cos(latitude);
  const x = Math.cos(angle) - Math.sin(latitude) * Math.sin(toLatitude);
  const longitude = from.longitude + degrees(Math.atan2(y, x));
  return {latitude: degrees(toLatitude), longitude: ((longitude + 540) % 360) - 180};
}

/** Returns the true course at the beginning of the way, in degrees from 0 to below 360. */
export function courseBetween(from: Coordinates, to: Coordinates): number {
  const [latitude, toLatitude] = [radians(from.latitude), radians(to.latitude)];
  const difference = radians(to.longitude - from.longitude);
  const y = Math.sin(difference) * Math.cos(toLatitude);
  const x =
    Math.cos(latitude) * Math.sin(toLatitude) - Math.sin(latitude) * Math.cos(toLatitude) * Math.cos(difference);
  return (degrees(Math.atan2(y, x)) + 360) % 360;
}

function angleBetween(from: Coordinates, to: Coordinates): number {
  const latitude = radians(to.latitude - from.latitude) / 2;
  const longitude = radians(to.longitude - from.longitude) / 2;
  const haversine =
    Math.sin(latitude) ** 2 +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(longitude) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
