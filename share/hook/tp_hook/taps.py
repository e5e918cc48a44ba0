"""Being told of a call without standing in it.

A wrapper function would add its frame to every traceback that the job prints.
A descriptor is asked when the method is looked up, just before the call, and
has returned when the call begins: same news, no frame.  (Special methods are
looked up on the type at each call, so this holds for m(x) too.)"""

_MISSING = object()


class Tap:
    """Replaces cls.name; told(obj) runs at each look-up on an instance, and
    fail(where) if that raises."""

    def __init__(self, cls, name, told, fail):
        self.cls, self.name, self.told, self.fail = cls, name, told, fail
        self.own = cls.__dict__.get(name, _MISSING)
        self.orig = getattr(cls, name)
        setattr(cls, name, self)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self.orig
        try:
            self.told(obj)
        except Exception:
            self.fail("taps")
        return self.orig.__get__(obj, owner)

    def remove(self):
        if self.cls.__dict__.get(self.name) is not self:
            return
        if self.own is _MISSING:
            delattr(self.cls, self.name)
        else:
            setattr(self.cls, self.name, self.own)


class Taps:
    """All taps of the hook, so that they can be taken out at once."""

    def __init__(self, fail):
        self.taps = []
        self.fail = fail

    def add(self, cls, name, told):
        if cls is None or not hasattr(cls, name):
            return None
        tap = Tap(cls, name, told, self.fail)
        self.taps.append(tap)
        return tap

    def drop(self, tap):
        if tap in self.taps:
            self.taps.remove(tap)
            tap.remove()

    def drop_all(self):
        while self.taps:
            self.taps.pop().remove()
