# Stands before `bootstrap.py`, which calls it, where descriptor 3 cannot be inherited.
def _evalcell_connect(os):
    """Connects to the host's local socket, once for each direction: the descriptors to receive from and to send on."""
    token, name = os.environ.pop("EVALCELL_SOCKET").split(" ", 1)

    def connect(direction):
        if os.name == "nt":
            import _winapi
            from msvcrt import open_osfhandle

            while True:
                try:
                    # Until the host has made the next instance of the pipe.
                    _winapi.WaitNamedPipe(name, 1000)
                    access = _winapi.GENERIC_READ | _winapi.GENERIC_WRITE
                    handle = _winapi.CreateFile(name, access, 0, 0, _winapi.OPEN_EXISTING, 0, 0)
                    break
                except OSError as error:
                    if error.winerror not in (_winapi.ERROR_SEM_TIMEOUT, _winapi.ERROR_PIPE_BUSY):
                        raise
            descriptor = open_osfhandle(handle, os.O_RDWR | os.O_BINARY | os.O_NOINHERIT)
        else:
            import _socket

            connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            connection.connect(name)
            descriptor = connection.detach()
        os.write(descriptor, (token + " " + direction + "\n").encode())
        return descriptor

    return connect("recv"), connect("send")
